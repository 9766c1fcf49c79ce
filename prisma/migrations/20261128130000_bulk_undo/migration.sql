ALTER TABLE "bulk_item" ADD COLUMN "before" JSONB;
