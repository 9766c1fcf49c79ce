-- AlterTable
ALTER TABLE "source" ADD COLUMN     "backfill" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "backfill_from" UUID,
ADD COLUMN     "confirm" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "defaults" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "highest_status" TEXT,
ADD COLUMN     "labels" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "previous_token_hash" TEXT,
ADD COLUMN     "previous_token_until" TIMESTAMPTZ(3),
ADD COLUMN     "site_ids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "upstream_paused_until" TIMESTAMPTZ(3),
ADD COLUMN     "upstream_trouble" JSONB,
ADD COLUMN     "upstream_trouble_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "confirmed_at" TIMESTAMPTZ(3),
ADD COLUMN     "confirmed_body" BYTEA;

-- CreateTable
CREATE TABLE "backfill_document" (
    "account_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,
    "document_id" UUID NOT NULL,
    "delivery" JSONB,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "due_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "problem" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "backfill_document_pkey" PRIMARY KEY ("source_id","document_id")
);

-- CreateIndex
CREATE INDEX "backfill_document_source_id_due_at_idx" ON "backfill_document"("source_id", "due_at");

-- CreateIndex
CREATE INDEX "backfill_document_due_at_idx" ON "backfill_document"("due_at");

-- CreateIndex
CREATE INDEX "backfill_document_ended_at_idx" ON "backfill_document"("ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "source_previous_token_hash_key" ON "source"("previous_token_hash");

-- AddForeignKey
ALTER TABLE "backfill_document" ADD CONSTRAINT "backfill_document_source_id_fkey" FOREIGN KEY ("source_id") REFERENCES "source"("id") ON DELETE CASCADE ON UPDATE CASCADE;
