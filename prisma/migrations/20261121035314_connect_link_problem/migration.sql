-- AlterTable
ALTER TABLE "connect_link" ADD COLUMN     "problem" JSONB;
