-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "unlimited" BOOLEAN NOT NULL DEFAULT true,
    "credits" INTEGER NOT NULL DEFAULT 0,
    "notification_secret" TEXT,
    "notify_steps" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "role" TEXT NOT NULL DEFAULT 'owner',
    "site_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "labels" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_intent" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "subject_id" TEXT,
    "details" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_intent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "key_id" UUID,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_kind" TEXT NOT NULL,
    "subject_id" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
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
    "author_id" INTEGER,
    "seo_field" TEXT,
    "labels" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "owner_email" TEXT,
    "report" JSONB,
    "report_at" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),
    "trouble" JSONB,
    "trouble_count" INTEGER NOT NULL DEFAULT 0,
    "trouble_since" TIMESTAMPTZ(3),
    "attention_at" TIMESTAMPTZ(3),
    "attention_told" BOOLEAN NOT NULL DEFAULT false,
    "last_success_at" TIMESTAMPTZ(3),
    "followed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stopped_at" TIMESTAMPTZ(3),
    "stop_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "site_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "outage" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "code" TEXT NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "site_count" INTEGER NOT NULL,

    CONSTRAINT "outage_pkey" PRIMARY KEY ("account_id","code")
);

-- CreateTable
CREATE TABLE "connect_link" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "rest_root" TEXT NOT NULL,
    "requested" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "problem" JSONB,
    "rejected_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "used_at" TIMESTAMPTZ(3),
    "site_id" UUID,
    "withdrawn_passwords" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connect_link_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "site_import" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "site_import_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "site_import_line" (
    "id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "requested" TEXT,
    "site_id" UUID NOT NULL,
    "labels" JSONB,
    "given" JSONB,
    "error" JSONB,

    CONSTRAINT "site_import_line_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bulk_job" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "filter" JSONB NOT NULL,
    "parameters" JSONB NOT NULL,
    "site_ids" JSONB,
    "dry_run" BOOLEAN NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'collecting',
    "fence" INTEGER NOT NULL DEFAULT 0,
    "collected" UUID,
    "matched" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "reasons" JSONB NOT NULL DEFAULT '[]',
    "cancelled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bulk_item" (
    "job_id" UUID NOT NULL,
    "item_id" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "code" TEXT,
    "message" TEXT,

    CONSTRAINT "bulk_item_pkey" PRIMARY KEY ("job_id","item_id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "request_digest" BYTEA NOT NULL,
    "fence" INTEGER NOT NULL DEFAULT 1,
    "leased_until" TIMESTAMPTZ(3),
    "http_status" INTEGER,
    "answer" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "source" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "previous_token_hash" TEXT,
    "previous_token_until" TIMESTAMPTZ(3),
    "signing_secret" TEXT,
    "previous_signing_secret" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "built_in" BOOLEAN NOT NULL DEFAULT false,
    "upstream_base_url" TEXT,
    "upstream_api_key" TEXT,
    "upstream_paused_until" TIMESTAMPTZ(3),
    "upstream_trouble" JSONB,
    "upstream_trouble_count" INTEGER NOT NULL DEFAULT 0,
    "confirm" BOOLEAN NOT NULL DEFAULT false,
    "backfill" BOOLEAN NOT NULL DEFAULT false,
    "backfill_from" UUID,
    "site_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "labels" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "highest_status" TEXT,
    "defaults" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "source_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "backfill_document" (
    "account_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,
    "document_id" UUID NOT NULL,
    "reference" TEXT,
    "delivery" JSONB,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "due_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "problem" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "backfill_document_pkey" PRIMARY KEY ("source_id","document_id")
);

-- CreateTable
CREATE TABLE "unusable_webhook" (
    "account_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "message" TEXT NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unusable_webhook_pkey" PRIMARY KEY ("source_id","reason")
);

-- CreateTable
CREATE TABLE "event" (
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,
    "kind" TEXT,
    "document_id" UUID,
    "reference" TEXT,
    "status" TEXT NOT NULL,
    "issues" JSONB,
    "digest" BYTEA NOT NULL,
    "body" BYTEA,
    "confirmed_body" BYTEA,
    "confirmed_at" TIMESTAMPTZ(3),
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "traceparent" TEXT,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "site_id" UUID NOT NULL,
    "document_id" UUID NOT NULL,
    "reference" TEXT,
    "title" TEXT,
    "source_id" UUID,
    "wanted_event_id" UUID NOT NULL,
    "wanted_seq" BIGINT NOT NULL DEFAULT 0,
    "delivered_event_id" UUID,
    "status" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "fence" INTEGER NOT NULL DEFAULT 0,
    "leased_by" TEXT,
    "crashed" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "site_failures" INTEGER NOT NULL DEFAULT 0,
    "site_failed_at" TIMESTAMPTZ(3),
    "error" JSONB,
    "warnings" JSONB NOT NULL DEFAULT '[]',
    "on_loss" TEXT,
    "withdraw_to" TEXT,
    "reserve_intent_at" TIMESTAMPTZ(3),
    "ambiguous_at" TIMESTAMPTZ(3),
    "post_id" INTEGER,
    "post_type" TEXT,
    "post_url" TEXT,
    "post_edit_url" TEXT,
    "post_status" TEXT,
    "post_modified_at" TIMESTAMPTZ(3),
    "post_modified_by" TEXT,
    "post_publish_at" TIMESTAMPTZ(3),
    "post_seen_at" TIMESTAMPTZ(3),
    "sent_hash" TEXT,
    "answered" JSONB,
    "public_check_at" TIMESTAMPTZ(3),
    "public_looks" INTEGER NOT NULL DEFAULT 0,
    "canonical" TEXT,
    "replaced" JSONB,
    "undo_until" TIMESTAMPTZ(3),
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

    CONSTRAINT "delivery_media_pkey" PRIMARY KEY ("delivery_id","marker")
);

-- CreateTable
CREATE TABLE "orphan_removal" (
    "kind" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "delivery_id" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "orphan_removal_pkey" PRIMARY KEY ("number","kind","delivery_id")
);

-- CreateTable
CREATE TABLE "worker_process" (
    "id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "beat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stopping_at" TIMESTAMPTZ(3),

    CONSTRAINT "worker_process_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "generation_job" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "request" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "progress" JSONB NOT NULL DEFAULT '{}',
    "price" INTEGER NOT NULL,
    "idempotency_key" TEXT,
    "request_digest" BYTEA NOT NULL,
    "result" JSONB,
    "error" JSONB,
    "warnings" JSONB NOT NULL DEFAULT '[]',
    "due_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "leased_by" TEXT,
    "waits_for" TEXT NOT NULL DEFAULT '',
    "stalled_on" TEXT NOT NULL DEFAULT '',
    "stalled_since" TIMESTAMPTZ(3),
    "crashes" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "generation_job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "generation_part" (
    "job_id" UUID NOT NULL,
    "step" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "answer" JSONB,
    "answered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "generation_part_pkey" PRIMARY KEY ("job_id","step","name")
);

-- CreateTable
CREATE TABLE "generation_call" (
    "id" UUID NOT NULL,
    "key" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "step" TEXT NOT NULL,
    "part" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "intent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "outcome" TEXT NOT NULL DEFAULT 'in_flight',
    "perhaps_paid_twice" BOOLEAN NOT NULL DEFAULT false,
    "usage" JSONB,
    "cost_micros" BIGINT,
    "error" JSONB,

    CONSTRAINT "generation_call_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "generation_provider" (
    "name" TEXT NOT NULL,
    "paused_until" TIMESTAMPTZ(3),
    "trouble_count" INTEGER NOT NULL DEFAULT 0,
    "trouble" JSONB,
    "trouble_since" TIMESTAMPTZ(3),
    "served_at" TIMESTAMPTZ(3),

    CONSTRAINT "generation_provider_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "credit_entry" (
    "id" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "job_id" UUID,
    "kind" TEXT NOT NULL,
    "amount" INTEGER NOT NULL,
    "price" INTEGER NOT NULL DEFAULT 0,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stored_file" (
    "token" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "sha256" BYTEA NOT NULL,
    "served" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "stored_file_pkey" PRIMARY KEY ("token")
);

-- CreateTable
CREATE TABLE "receiver" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "format" TEXT NOT NULL DEFAULT 'standard',
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
CREATE TABLE "change" (
    "id" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "site_ids" TEXT[],
    "key_id" UUID,
    "xid" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "change_watch" (
    "account_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "since" BIGINT,
    "settled" BIGINT,
    "purged" BIGINT NOT NULL DEFAULT 0,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "change_watch_pkey" PRIMARY KEY ("account_id")
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

-- CreateTable
CREATE TABLE "notification" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "receiver_id" UUID,
    "site_id" UUID,
    "site_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "url" TEXT NOT NULL,
    "body" BYTEA,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "due_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "leased_by" INTEGER,
    "leased_until" TIMESTAMPTZ(3),
    "repeat_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_attempt" (
    "id" BIGSERIAL NOT NULL,
    "notification_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "took_ms" INTEGER,
    "http_status" INTEGER,
    "error" JSONB,
    "by_hand" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "notification_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_account_id_idx" ON "api_key"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_hash_key" ON "session"("hash");

-- CreateIndex
CREATE INDEX "session_account_id_key_id_id_idx" ON "session"("account_id", "key_id", "id");

-- CreateIndex
CREATE INDEX "session_key_id_idx" ON "session"("key_id");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_id_idx" ON "audit_entry"("account_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_subject_id_id_idx" ON "audit_entry"("account_id", "subject_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_key_id_id_idx" ON "audit_entry"("account_id", "key_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_action_id_idx" ON "audit_entry"("account_id", "action", "id");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_subject_kind_id_idx" ON "audit_entry"("account_id", "subject_kind", "id");

-- CreateIndex
CREATE INDEX "site_password_uuid_idx" ON "site"("password_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "connect_link_token_hash_key" ON "connect_link"("token_hash");

-- CreateIndex
CREATE INDEX "connect_link_account_id_id_idx" ON "connect_link"("account_id", "id");

-- CreateIndex
CREATE INDEX "site_import_account_id_id_idx" ON "site_import"("account_id", "id");

-- CreateIndex
CREATE INDEX "site_import_ended_at_idx" ON "site_import"("ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "site_import_line_import_id_line_key" ON "site_import_line"("import_id", "line");

-- CreateIndex
CREATE INDEX "bulk_job_account_id_id_idx" ON "bulk_job"("account_id", "id");

-- CreateIndex
CREATE INDEX "bulk_job_ended_at_idx" ON "bulk_job"("ended_at");

-- CreateIndex
CREATE INDEX "bulk_item_job_id_status_item_id_idx" ON "bulk_item"("job_id", "status", "item_id");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "idempotency_key_account_id_key_key" ON "idempotency_key"("account_id", "key");

-- CreateIndex
CREATE UNIQUE INDEX "source_token_hash_key" ON "source"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "source_previous_token_hash_key" ON "source"("previous_token_hash");

-- CreateIndex
CREATE INDEX "source_account_id_id_idx" ON "source"("account_id", "id");

-- CreateIndex
CREATE INDEX "backfill_document_source_id_due_at_idx" ON "backfill_document"("source_id", "due_at");

-- CreateIndex
CREATE INDEX "backfill_document_due_at_idx" ON "backfill_document"("due_at");

-- CreateIndex
CREATE INDEX "backfill_document_ended_at_idx" ON "backfill_document"("ended_at");

-- CreateIndex
CREATE INDEX "event_account_id_id_idx" ON "event"("account_id", "id");

-- CreateIndex
CREATE INDEX "event_account_id_status_id_idx" ON "event"("account_id", "status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "event_source_id_digest_key" ON "event"("source_id", "digest");

-- CreateIndex
CREATE INDEX "delivery_post_id_idx" ON "delivery"("post_id");

-- CreateIndex
CREATE INDEX "delivery_account_id_id_idx" ON "delivery"("account_id", "id");

-- CreateIndex
CREATE INDEX "delivery_account_id_status_id_idx" ON "delivery"("account_id", "status", "id");

-- CreateIndex
CREATE INDEX "delivery_account_id_site_id_id_idx" ON "delivery"("account_id", "site_id", "id");

-- CreateIndex
CREATE INDEX "delivery_document_id_account_id_idx" ON "delivery"("document_id", "account_id");

-- CreateIndex
CREATE INDEX "delivery_account_id_source_id_id_idx" ON "delivery"("account_id", "source_id", "id");

-- CreateIndex
CREATE INDEX "delivery_account_id_updated_at_id_idx" ON "delivery"("account_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "delivery_account_id_site_id_document_id_key" ON "delivery"("account_id", "site_id", "document_id");

-- CreateIndex
CREATE INDEX "delivery_step_delivery_id_id_idx" ON "delivery_step"("delivery_id", "id");

-- CreateIndex
CREATE INDEX "delivery_step_at_id_idx" ON "delivery_step"("at", "id");

-- CreateIndex
CREATE INDEX "delivery_media_media_id_idx" ON "delivery_media"("media_id");

-- CreateIndex
CREATE INDEX "orphan_removal_delivery_id_idx" ON "orphan_removal"("delivery_id");

-- CreateIndex
CREATE INDEX "generation_job_account_id_id_idx" ON "generation_job"("account_id", "id");

-- CreateIndex
CREATE INDEX "generation_job_account_id_kind_id_idx" ON "generation_job"("account_id", "kind", "id");

-- CreateIndex
CREATE INDEX "generation_job_account_id_status_id_idx" ON "generation_job"("account_id", "status", "id");

-- CreateIndex
CREATE INDEX "generation_job_waits_for_due_at_idx" ON "generation_job"("waits_for", "due_at");

-- CreateIndex
CREATE INDEX "generation_job_leased_by_idx" ON "generation_job"("leased_by");

-- CreateIndex
CREATE INDEX "generation_job_ended_at_idx" ON "generation_job"("ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "generation_job_account_id_idempotency_key_key" ON "generation_job"("account_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "generation_call_job_id_step_part_idx" ON "generation_call"("job_id", "step", "part");

-- CreateIndex
CREATE INDEX "credit_entry_account_id_id_idx" ON "credit_entry"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "credit_entry_job_id_kind_key" ON "credit_entry"("job_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "stored_file_key_key" ON "stored_file"("key");

-- CreateIndex
CREATE INDEX "stored_file_account_id_idx" ON "stored_file"("account_id");

-- CreateIndex
CREATE INDEX "stored_file_expires_at_idx" ON "stored_file"("expires_at");

-- CreateIndex
CREATE INDEX "receiver_account_id_id_idx" ON "receiver"("account_id", "id");

-- CreateIndex
CREATE INDEX "change_account_id_xid_idx" ON "change"("account_id", "xid");

-- CreateIndex
CREATE INDEX "change_at_idx" ON "change"("at");

-- CreateIndex
CREATE INDEX "digest_item_receiver_id_due_at_idx" ON "digest_item"("receiver_id", "due_at");

-- CreateIndex
CREATE INDEX "digest_item_receiver_id_id_idx" ON "digest_item"("receiver_id", "id");

-- CreateIndex
CREATE INDEX "notification_account_id_id_idx" ON "notification"("account_id", "id");

-- CreateIndex
CREATE INDEX "notification_account_id_status_id_idx" ON "notification"("account_id", "status", "id");

-- CreateIndex
CREATE INDEX "notification_account_id_event_id_idx" ON "notification"("account_id", "event", "id");

-- CreateIndex
CREATE INDEX "notification_subject_id_idx" ON "notification"("subject_id");

-- CreateIndex
CREATE INDEX "notification_attempt_notification_id_id_idx" ON "notification_attempt"("notification_id", "id");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_intent" ADD CONSTRAINT "audit_intent_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site" ADD CONSTRAINT "site_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outage" ADD CONSTRAINT "outage_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "connect_link" ADD CONSTRAINT "connect_link_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site_import" ADD CONSTRAINT "site_import_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site_import_line" ADD CONSTRAINT "site_import_line_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "site_import"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bulk_job" ADD CONSTRAINT "bulk_job_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bulk_item" ADD CONSTRAINT "bulk_item_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "bulk_job"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "source" ADD CONSTRAINT "source_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unusable_webhook" ADD CONSTRAINT "unusable_webhook_source_id_fkey" FOREIGN KEY ("source_id") REFERENCES "source"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "backfill_document" ADD CONSTRAINT "backfill_document_source_id_fkey" FOREIGN KEY ("source_id") REFERENCES "source"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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

-- AddForeignKey
ALTER TABLE "orphan_removal" ADD CONSTRAINT "orphan_removal_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "generation_job" ADD CONSTRAINT "generation_job_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "generation_part" ADD CONSTRAINT "generation_part_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "generation_job"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "generation_call" ADD CONSTRAINT "generation_call_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "generation_job"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_entry" ADD CONSTRAINT "credit_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stored_file" ADD CONSTRAINT "stored_file_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receiver" ADD CONSTRAINT "receiver_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "digest_item" ADD CONSTRAINT "digest_item_receiver_id_fkey" FOREIGN KEY ("receiver_id") REFERENCES "receiver"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification" ADD CONSTRAINT "notification_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_attempt" ADD CONSTRAINT "notification_attempt_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "notification"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Everything below is written by hand, because Prisma's schema language cannot express it.

-- No writer can make a balance negative.
ALTER TABLE "account" ADD CONSTRAINT "account_credits_not_negative" CHECK ("credits" >= 0);

-- An account has one built-in source for generated documents and one for documents that are sent directly.
CREATE UNIQUE INDEX "source_built_in" ON "source" ("account_id", "name") WHERE "built_in";

-- Retention: events that still have their body, oldest first.
CREATE INDEX "event_received_at_id_idx" ON "event" ("received_at", "id") WHERE "body" IS NOT NULL;

-- The next delivery of a site, and the sites that have one.
CREATE INDEX "delivery_due_idx" ON "delivery" ("account_id", "site_id", "due_at") WHERE "due_at" IS NOT NULL;

-- Deliveries in progress. By id, because every step of a delivery reads its own row.
CREATE INDEX "delivery_under_way" ON "delivery" ("id") WHERE "status" = 'delivering';

-- Deliveries that crashed twice and therefore run without others beside them.
CREATE INDEX "delivery_alone" ON "delivery" ("account_id", "site_id") WHERE cardinality("crashed") >= 2;

-- Deliveries that are held until their site works again, by the error that holds them.
CREATE INDEX "delivery_held_idx" ON "delivery" ("account_id", "site_id", ("error" ->> 'code'), ("error" ->> 'step'))
WHERE "status" = 'held';

-- Events that an open delivery still needs.
CREATE INDEX "delivery_needed_idx" ON "delivery" ("account_id", "wanted_event_id") WHERE "status" <> 'delivered';

-- Open deliveries of a site, in the order of lists.
CREATE INDEX "delivery_open_idx" ON "delivery" ("account_id", "site_id", "id") WHERE "status" <> 'delivered';

-- Deliveries by error code.
CREATE INDEX "delivery_error_idx" ON "delivery" ("account_id", ("error" ->> 'code'), "id") WHERE "error" IS NOT NULL;

-- Deliveries that wait for the first public post of their document.
CREATE INDEX "delivery_canonical_idx" ON "delivery" ("updated_at") WHERE "canonical" = 'waits';
CREATE INDEX "delivery_canonical_public_idx" ON "delivery" ("id") WHERE "canonical" = 'waits' AND "post_status" = 'publish';

-- Deliveries with a text that can be put back, or could be until then.
CREATE INDEX "delivery_undo_until" ON "delivery" ("undo_until") WHERE "undo_until" IS NOT NULL;

-- Deliveries with warnings, by severity, in the order of lists.
CREATE INDEX "delivery_loss_idx" ON "delivery" ("account_id", "id") WHERE "warnings" @> '[{"severity": "loss"}]';
CREATE INDEX "delivery_change_idx" ON "delivery" ("account_id", "id") WHERE "warnings" @> '[{"severity": "change"}]';
CREATE INDEX "delivery_note_idx" ON "delivery" ("account_id", "id") WHERE "warnings" @> '[{"severity": "note"}]';

-- Those whose public address is to be looked at.
CREATE INDEX "delivery_public_check" ON "delivery" ("public_check_at")
WHERE "public_check_at" IS NOT NULL AND "status" = 'delivered';

-- Posts that are not public, by their status, in the order of lists.
CREATE INDEX "delivery_post_status_idx" ON "delivery" ("account_id", "post_status", "id") WHERE "post_status" <> 'publish';

-- Notifications that are due, that a person asked to repeat, and that a process holds.
CREATE INDEX "notification_due_at" ON "notification" ("due_at") WHERE "due_at" IS NOT NULL;
CREATE INDEX "notification_repeat_at" ON "notification" ("repeat_at") WHERE "repeat_at" IS NOT NULL;
CREATE INDEX "notification_leased_by" ON "notification" ("leased_by") WHERE "leased_by" IS NOT NULL;
CREATE INDEX "notification_leased_until" ON "notification" ("leased_until") WHERE "leased_until" IS NOT NULL;

-- Requests under way.
CREATE INDEX "idempotency_key_leased_until" ON "idempotency_key" ("leased_until") WHERE "leased_until" IS NOT NULL;

-- The first waiting notifications of each account and origin. A dead receiver may have hundreds of thousands, and those behind
-- it must be found without reading them.
CREATE INDEX "notification_waits" ON "notification" (
  "account_id",
  (left(coalesce(substring("url" FROM '^[^/]*//[^/?#]*'), 'mailto:'), 255) COLLATE "C"),
  (least("due_at", "repeat_at")),
  "id"
) WHERE "leased_by" IS NULL AND "body" IS NOT NULL AND least("due_at", "repeat_at") IS NOT NULL;

-- Retention: notifications that still have their body, oldest first.
CREATE INDEX "notification_created_at_id_idx" ON "notification" ("created_at", "id") WHERE "body" IS NOT NULL;

-- Notifications of a receiver. One that goes to the webhook_url of a job has no receiver.
CREATE INDEX "notification_receiver_id" ON "notification" ("receiver_id", "id") WHERE "receiver_id" IS NOT NULL;

-- Waiting notifications, which end when their receiver is removed.
CREATE INDEX "notification_receiver_waits" ON "notification" ("receiver_id") WHERE "due_at" IS NOT NULL AND "receiver_id" IS NOT NULL;

-- The audit log without sign-ins and sign-outs.
CREATE INDEX "audit_entry_deeds_idx" ON "audit_entry" ("account_id", "id") WHERE "subject_kind" <> 'session';

-- The audit log is append-only. Its entries go when their account goes.
CREATE FUNCTION audit_entry_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM account WHERE id = OLD.account_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only: no entry of it is changed or removed.'
    USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_entry_kept BEFORE UPDATE OR DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION audit_entry_kept();
CREATE TRIGGER audit_entry_not_emptied BEFORE TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_kept();

-- Changes need not survive a crash or reach a standby: clients are then told to read everything again.
ALTER TABLE "change" SET UNLOGGED;
ALTER TABLE "change_watch" SET UNLOGGED;

-- Wakes the readers of changes. One of several concurrent transactions does, because NOTIFY serialises commits; readers also
-- poll.
CREATE FUNCTION wake_streams() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF pg_try_advisory_xact_lock(2426, 0) THEN
    PERFORM pg_notify('galley_changes', '');
  END IF;
END
$$;

-- Each of the following triggers records, once per statement, the rows whose visible state changed, in accounts that a client
-- watches. Leases, fences and counters are not visible.

CREATE FUNCTION note_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, seen.kind, seen.id, ARRAY[n.site_id::text], pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now(),
      LATERAL (VALUES ('delivery', n.id), ('event', n.wanted_event_id)) AS seen (kind, id);
  ELSE
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, seen.kind, seen.id, ARRAY[seen.site_id::text], pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now()
      JOIN rows_before b ON b.id = n.id,
      LATERAL (
        SELECT 'delivery' AS kind, n.id, n.site_id
        WHERE (n.status, n.updated_at, n.attempts, n.error, n.warnings, n.title, n.source_id, n.post_id, n.post_url,
            n.post_edit_url, n.post_status, n.post_modified_at, n.site_id)
          IS DISTINCT FROM (b.status, b.updated_at, b.attempts, b.error, b.warnings, b.title, b.source_id, b.post_id,
            b.post_url, b.post_edit_url, b.post_status, b.post_modified_at, b.site_id)
        UNION ALL SELECT 'delivery', n.id, b.site_id WHERE n.site_id <> b.site_id
        UNION ALL SELECT 'event', n.wanted_event_id, n.site_id
          WHERE (n.wanted_event_id, n.site_id) IS DISTINCT FROM (b.wanted_event_id, b.site_id)
      ) AS seen;
  END IF;
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER delivery_made AFTER INSERT ON delivery
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_deliveries();
CREATE TRIGGER delivery_changed AFTER UPDATE ON delivery
  REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_deliveries();

CREATE FUNCTION note_sites() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, 'site', n.id, ARRAY[n.id::text], pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT b.account_id, 'site', b.id, ARRAY[b.id::text], pg_current_xact_id()::text::bigint
    FROM rows_before b JOIN change_watch w ON w.account_id = b.account_id AND w.until > now();
  ELSE
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, 'site', n.id, ARRAY[n.id::text], pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now()
      JOIN rows_before b ON b.account_id = n.account_id AND b.id = n.id
    WHERE (n.name, n.url, n.rest_root, n.username, n.labels, n.settings, n.report_at, n.trouble, n.paused_until, n.stopped_at,
        n.stop_reason)
      IS DISTINCT FROM (b.name, b.url, b.rest_root, b.username, b.labels, b.settings, b.report_at, b.trouble,
        b.paused_until, b.stopped_at, b.stop_reason);
  END IF;
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER site_made AFTER INSERT ON site
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_sites();
CREATE TRIGGER site_changed AFTER UPDATE ON site
  REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_sites();
CREATE TRIGGER site_removed AFTER DELETE ON site
  REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION note_sites();

-- A delivery records its event, too: only the delivery knows the site.
CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO change (account_id, kind, subject_id, xid)
    SELECT n.account_id, 'event', n.id, pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  ELSE
    INSERT INTO change (account_id, kind, subject_id, xid)
    SELECT n.account_id, 'event', n.id, pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now()
      JOIN rows_before b ON b.id = n.id
    WHERE (n.status, n.issues, n.confirmed_at) IS DISTINCT FROM (b.status, b.issues, b.confirmed_at);
  END IF;
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER event_made AFTER INSERT ON event
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_events();
CREATE TRIGGER event_changed AFTER UPDATE ON event
  REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_events();

CREATE FUNCTION note_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  -- Every key sees a job without a site.
  IF TG_OP = 'INSERT' THEN
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, 'job', n.id, array_remove(ARRAY[n.request #>> '{delivery,id}'], NULL),
      pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  ELSE
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, 'job', n.id, array_remove(ARRAY[n.request #>> '{delivery,id}'], NULL),
      pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now()
      JOIN rows_before b ON b.id = n.id
    WHERE (n.status, n.progress, n.started_at, n.ended_at, n.stalled_since)
      IS DISTINCT FROM (b.status, b.progress, b.started_at, b.ended_at, b.stalled_since);
  END IF;
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER generation_job_made AFTER INSERT ON generation_job
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_jobs();
CREATE TRIGGER generation_job_changed AFTER UPDATE ON generation_job
  REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_jobs();

-- A key that is limited to sites sees its own bulk jobs only.
CREATE FUNCTION note_bulk_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  INSERT INTO change (account_id, kind, subject_id, key_id, xid)
  SELECT n.account_id, 'bulk_job', n.id, n.key_id, pg_current_xact_id()::text::bigint
  FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER bulk_job_made AFTER INSERT ON bulk_job
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_bulk_jobs();
CREATE TRIGGER bulk_job_changed AFTER UPDATE ON bulk_job
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_bulk_jobs();

-- Streams end or change with the rights of their key.
CREATE FUNCTION wake_for_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('galley_changes', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER api_key_changed AFTER UPDATE OF role, site_ids, labels, expires_at, revoked_at ON api_key
  FOR EACH STATEMENT EXECUTE FUNCTION wake_for_keys();
CREATE TRIGGER account_disabled AFTER UPDATE OF disabled_at ON account
  FOR EACH STATEMENT EXECUTE FUNCTION wake_for_keys();
CREATE TRIGGER session_ended AFTER DELETE ON session
  FOR EACH STATEMENT EXECUTE FUNCTION wake_for_keys();
