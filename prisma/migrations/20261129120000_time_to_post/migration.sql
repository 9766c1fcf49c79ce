-- The plots tell from the index alone how long the newest version of each document took.
DROP INDEX "delivery_account_id_id_idx";
CREATE INDEX "delivery_account_id_id_idx" ON "delivery"("account_id", "id") INCLUDE ("created_at", "updated_at", "site_id", "status", "attempts", "wanted_event_id");
