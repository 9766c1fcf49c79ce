-- AlterTable
ALTER TABLE "delivery" ADD COLUMN     "site_failures" INTEGER NOT NULL DEFAULT 0;
