-- From when the plots count: a document that is sent again is not as slow as it is old.
ALTER TABLE "delivery" ADD COLUMN "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
-- Nobody is told of a change: the id of an event, a UUIDv7, begins with the millisecond in which it came.
ALTER TABLE "delivery" DISABLE TRIGGER USER;
UPDATE "delivery" SET "requested_at" =
  to_timestamp(('x' || translate(left("wanted_event_id"::text, 13), '-', ''))::bit(48)::bigint / 1000.0);
ALTER TABLE "delivery" ENABLE TRIGGER USER;

DROP INDEX "delivery_account_id_id_idx";
CREATE INDEX "delivery_account_id_id_idx" ON "delivery"("account_id", "id") INCLUDE ("created_at", "updated_at", "site_id", "status", "attempts", "requested_at");
