-- What waits to be sent, so that the first few of each account and origin are found without reading what stands behind them:
-- a receiver that is dead may have hundreds of thousands.
CREATE INDEX "notification_waits" ON "notification" (
  "account_id",
  (left(coalesce(substring("url" FROM '^[^/]*//[^/?#]*'), 'mailto:'), 255) COLLATE "C"),
  (least("due_at", "repeat_at")),
  "id"
) WHERE "leased_by" IS NULL AND "body" IS NOT NULL AND least("due_at", "repeat_at") IS NOT NULL;

-- Of those that wait alone: what has been told needs no place in it.
DROP INDEX "notification_due_at_idx";
CREATE INDEX "notification_due_at" ON "notification" ("due_at") WHERE "due_at" IS NOT NULL;
