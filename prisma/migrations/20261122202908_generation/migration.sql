-- AlterTable
ALTER TABLE "account" ADD COLUMN     "credits" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "notification_secret" TEXT,
ADD COLUMN     "notify_steps" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "unlimited" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "source" ADD COLUMN     "built_in" BOOLEAN NOT NULL DEFAULT false;

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
CREATE TABLE "notification" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "body" BYTEA,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "due_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "fence" INTEGER NOT NULL DEFAULT 0,
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
CREATE INDEX "generation_job_account_id_id_idx" ON "generation_job"("account_id", "id");

-- CreateIndex
CREATE INDEX "generation_job_due_at_idx" ON "generation_job"("due_at");

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
CREATE INDEX "notification_account_id_id_idx" ON "notification"("account_id", "id");

-- CreateIndex
CREATE INDEX "notification_subject_id_idx" ON "notification"("subject_id");

-- CreateIndex
CREATE INDEX "notification_due_at_idx" ON "notification"("due_at");

-- CreateIndex
CREATE INDEX "notification_attempt_notification_id_id_idx" ON "notification_attempt"("notification_id", "id");

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
ALTER TABLE "notification" ADD CONSTRAINT "notification_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_attempt" ADD CONSTRAINT "notification_attempt_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "notification"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A balance is never below nothing, whoever writes it.
ALTER TABLE "account" ADD CONSTRAINT "account_credits_not_negative" CHECK ("credits" >= 0);

-- One source of an account is Galley's own.
CREATE UNIQUE INDEX "source_built_in" ON "source" ("account_id") WHERE "built_in";
