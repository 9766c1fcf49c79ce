-- AlterTable
ALTER TABLE "notification" ADD COLUMN     "site_ids" UUID[] DEFAULT ARRAY[]::UUID[];
