-- CreateIndex
CREATE INDEX "notification_account_id_status_id_idx" ON "notification"("account_id", "status", "id");

-- What retention looks for: those that still have a body.
CREATE INDEX "notification_created_at_id_idx" ON "notification" ("created_at", "id") WHERE "body" IS NOT NULL;
