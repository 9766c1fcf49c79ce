-- The plots count from the index alone.
DROP INDEX "delivery_account_id_id_idx";
CREATE INDEX "delivery_account_id_id_idx" ON "delivery"("account_id", "id") INCLUDE ("created_at", "updated_at", "site_id", "status", "attempts");
