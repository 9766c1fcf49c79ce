-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "site" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "rest_root" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "application_password" TEXT NOT NULL,
    "password_uuid" TEXT,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "labels" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "report" JSONB,
    "report_at" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),
    "trouble" JSONB,
    "trouble_count" INTEGER NOT NULL DEFAULT 0,
    "last_success_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "site_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "source" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "signing_secret" TEXT,
    "upstream_base_url" TEXT,
    "upstream_api_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "source_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,
    "kind" TEXT,
    "document_id" UUID,
    "status" TEXT NOT NULL,
    "issues" JSONB,
    "digest" BYTEA NOT NULL,
    "body" BYTEA,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "site_id" UUID NOT NULL,
    "document_id" UUID NOT NULL,
    "wanted_event_id" UUID NOT NULL,
    "delivered_event_id" UUID,
    "status" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "fence" INTEGER NOT NULL DEFAULT 0,
    "leased_by" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "site_failed_at" TIMESTAMPTZ(3),
    "error" JSONB,
    "warnings" JSONB NOT NULL DEFAULT '[]',
    "reserve_intent_at" TIMESTAMPTZ(3),
    "ambiguous_at" TIMESTAMPTZ(3),
    "post_id" INTEGER,
    "post_type" TEXT,
    "post_url" TEXT,
    "post_edit_url" TEXT,
    "post_status" TEXT,
    "sent_hash" TEXT,
    "answered" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_step" (
    "id" BIGSERIAL NOT NULL,
    "delivery_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "step" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "detail" TEXT,

    CONSTRAINT "delivery_step_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_media" (
    "delivery_id" UUID NOT NULL,
    "marker" TEXT NOT NULL,
    "source_url" TEXT NOT NULL,
    "intent_at" TIMESTAMPTZ(3),
    "media_id" INTEGER,
    "record" JSONB,

    CONSTRAINT "delivery_media_pkey" PRIMARY KEY ("delivery_id","marker")
);

-- CreateTable
CREATE TABLE "worker_process" (
    "id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "beat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "worker_process_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_account_id_idx" ON "api_key"("account_id");

-- CreateIndex
CREATE INDEX "site_account_id_id_idx" ON "site"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "source_token_hash_key" ON "source"("token_hash");

-- CreateIndex
CREATE INDEX "source_account_id_id_idx" ON "source"("account_id", "id");

-- CreateIndex
CREATE INDEX "event_account_id_id_idx" ON "event"("account_id", "id");

-- CreateIndex
CREATE INDEX "event_received_at_idx" ON "event"("received_at");

-- CreateIndex
CREATE UNIQUE INDEX "event_source_id_digest_key" ON "event"("source_id", "digest");

-- CreateIndex
CREATE INDEX "delivery_account_id_id_idx" ON "delivery"("account_id", "id");

-- CreateIndex
CREATE INDEX "delivery_account_id_status_id_idx" ON "delivery"("account_id", "status", "id");

-- CreateIndex
CREATE INDEX "delivery_site_id_due_at_idx" ON "delivery"("site_id", "due_at");

-- CreateIndex
CREATE INDEX "delivery_due_at_idx" ON "delivery"("due_at");

-- CreateIndex
CREATE UNIQUE INDEX "delivery_site_id_document_id_account_id_key" ON "delivery"("site_id", "document_id", "account_id");

-- CreateIndex
CREATE INDEX "delivery_step_delivery_id_id_idx" ON "delivery_step"("delivery_id", "id");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site" ADD CONSTRAINT "site_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "source" ADD CONSTRAINT "source_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_source_id_fkey" FOREIGN KEY ("source_id") REFERENCES "source"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_step" ADD CONSTRAINT "delivery_step_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_media" ADD CONSTRAINT "delivery_media_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;
