-- DropIndex
DROP INDEX "event_received_at_idx";

-- DropIndex
DROP INDEX "delivery_site_id_due_at_idx";

-- DropIndex
DROP INDEX "delivery_due_at_idx";

-- AlterTable
ALTER TABLE "source" ADD COLUMN     "removed_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "site_password_uuid_idx" ON "site"("password_uuid");

-- CreateIndex
CREATE INDEX "event_account_id_status_id_idx" ON "event"("account_id", "status", "id");

-- CreateIndex
CREATE INDEX "delivery_account_id_site_id_id_idx" ON "delivery"("account_id", "site_id", "id");

-- CreateIndex
CREATE INDEX "delivery_account_id_document_id_idx" ON "delivery"("account_id", "document_id");

-- CreateIndex
CREATE INDEX "delivery_step_at_id_idx" ON "delivery_step"("at", "id");

-- Of few rows among many, which Prisma's language cannot say.

-- What retention thins next: an event that has been thinned is not looked at again.
CREATE INDEX "event_received_at_id_idx" ON "event"("received_at", "id") WHERE "body" IS NOT NULL;

-- What a site's pump claims next, and which sites have something to claim.
CREATE INDEX "delivery_due_idx" ON "delivery"("account_id", "site_id", "due_at") WHERE "due_at" IS NOT NULL;

-- What is under way. By id, as every step of a delivery asks for it: by its process, it was read from end to end for each.
DROP INDEX "delivery_under_way";
CREATE INDEX "delivery_under_way" ON "delivery"("id") WHERE "status" = 'delivering';

-- What waits for a site, and why.
CREATE INDEX "delivery_held_idx" ON "delivery"("account_id", "site_id", ("error" ->> 'code'), ("error" ->> 'step'))
WHERE "status" = 'held';

-- Which events are still needed.
CREATE INDEX "delivery_needed_idx" ON "delivery"("account_id", "wanted_event_id") WHERE "status" <> 'delivered';
