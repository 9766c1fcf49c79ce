-- AlterTable
ALTER TABLE "change_watch" ADD COLUMN     "settled" BIGINT;
