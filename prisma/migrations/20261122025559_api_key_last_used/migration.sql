-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);

-- Whoever has a key from before this column may use it at any time: none of them counts as never used.
UPDATE "api_key" SET "last_used_at" = "created_at";
