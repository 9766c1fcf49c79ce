-- AlterTable
ALTER TABLE "connect_link" ADD COLUMN     "rest_root" TEXT;
