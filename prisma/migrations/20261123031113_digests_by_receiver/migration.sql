-- DropIndex
DROP INDEX "digest_item_due_at_idx";

-- CreateIndex
CREATE INDEX "digest_item_receiver_id_due_at_idx" ON "digest_item"("receiver_id", "due_at");
