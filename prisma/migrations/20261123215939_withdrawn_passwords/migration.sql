-- AlterTable
ALTER TABLE "connect_link" ADD COLUMN     "withdrawn_passwords" TEXT[] DEFAULT ARRAY[]::TEXT[];
