-- CreateTable
CREATE TABLE "site_import" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "check_id" UUID,
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
    "wish" TEXT,
    "site_id" UUID NOT NULL,
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

-- CreateIndex
CREATE INDEX "site_import_account_id_id_idx" ON "site_import"("account_id", "id");

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

-- Galley has two sources of its own in an account now: what it makes, and what is sent to it directly.
DROP INDEX "source_built_in";
CREATE UNIQUE INDEX "source_built_in" ON "source" ("account_id", "name") WHERE "built_in";
