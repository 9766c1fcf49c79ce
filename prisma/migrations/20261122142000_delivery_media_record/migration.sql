-- Nothing has ever read or written it.
-- AlterTable
ALTER TABLE "delivery_media" DROP COLUMN "record";
