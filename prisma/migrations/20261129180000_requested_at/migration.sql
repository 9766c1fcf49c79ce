-- The median delivery time counts from this time, so that a document that is sent again does not look slow. Existing rows stay
-- NULL and are not counted: to update a million of them would delay the first start by minutes.
ALTER TABLE "delivery" ADD COLUMN "requested_at" TIMESTAMPTZ(3);
ALTER TABLE "delivery" ALTER COLUMN "requested_at" SET DEFAULT CURRENT_TIMESTAMP;

DROP INDEX "delivery_account_id_id_idx";
CREATE INDEX "delivery_account_id_id_idx" ON "delivery"("account_id", "id") INCLUDE ("created_at", "updated_at", "site_id", "status", "attempts", "requested_at");
