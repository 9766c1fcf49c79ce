-- AlterTable
ALTER TABLE "source" ADD COLUMN     "previous_secret_until" TIMESTAMPTZ(3),
ADD COLUMN     "previous_signing_secret" TEXT;
