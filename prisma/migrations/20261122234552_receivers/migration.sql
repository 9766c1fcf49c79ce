-- AlterTable
ALTER TABLE "notification" ADD COLUMN     "receiver_id" UUID,
ADD COLUMN     "site_id" UUID;

-- CreateTable
CREATE TABLE "receiver" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "site_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "labels" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "digest_minutes" INTEGER,
    "secret" TEXT,
    "previous_secret" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "removed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "receiver_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "digest_item" (
    "id" BIGSERIAL NOT NULL,
    "receiver_id" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "site_id" UUID,
    "data" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "digest_item_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "receiver_account_id_id_idx" ON "receiver"("account_id", "id");

-- CreateIndex
CREATE INDEX "digest_item_due_at_idx" ON "digest_item"("due_at");

-- CreateIndex
CREATE INDEX "digest_item_receiver_id_id_idx" ON "digest_item"("receiver_id", "id");

-- CreateIndex
CREATE INDEX "notification_account_id_event_id_idx" ON "notification"("account_id", "event", "id");

-- AddForeignKey
ALTER TABLE "receiver" ADD CONSTRAINT "receiver_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "digest_item" ADD CONSTRAINT "digest_item_receiver_id_fkey" FOREIGN KEY ("receiver_id") REFERENCES "receiver"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the webhook_url of a job is told has none.
CREATE INDEX "notification_receiver_id" ON "notification"("receiver_id", "id") WHERE "receiver_id" IS NOT NULL;

-- Of the few that wait: what ends when their receiver is removed.
CREATE INDEX "notification_receiver_waits" ON "notification"("receiver_id") WHERE "due_at" IS NOT NULL AND "receiver_id" IS NOT NULL;
