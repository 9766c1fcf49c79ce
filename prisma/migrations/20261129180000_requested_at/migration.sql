-- From when the plots count: a document that is sent again is not as slow as it is old. Of rows that were there before, nothing is
-- known: they do not count in the median, and none is written, of which there may be a million.
ALTER TABLE "delivery" ADD COLUMN "requested_at" TIMESTAMPTZ(3);
ALTER TABLE "delivery" ALTER COLUMN "requested_at" SET DEFAULT CURRENT_TIMESTAMP;

DROP INDEX "delivery_account_id_id_idx";
CREATE INDEX "delivery_account_id_id_idx" ON "delivery"("account_id", "id") INCLUDE ("created_at", "updated_at", "site_id", "status", "attempts", "requested_at");
