-- AlterTable
ALTER TABLE "site" ADD COLUMN     "author_id" INTEGER,
ADD COLUMN     "seo_field" TEXT;

-- CreateTable
CREATE TABLE "connect_link" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "wish" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "rejected_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "used_at" TIMESTAMPTZ(3),
    "site_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connect_link_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "site_check" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "site_check_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "site_check_result" (
    "check_id" UUID NOT NULL,
    "site_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "checked_at" TIMESTAMPTZ(3),

    CONSTRAINT "site_check_result_pkey" PRIMARY KEY ("check_id","site_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "connect_link_token_hash_key" ON "connect_link"("token_hash");

-- CreateIndex
CREATE INDEX "connect_link_account_id_id_idx" ON "connect_link"("account_id", "id");

-- CreateIndex
CREATE INDEX "site_check_account_id_id_idx" ON "site_check"("account_id", "id");

-- AddForeignKey
ALTER TABLE "connect_link" ADD CONSTRAINT "connect_link_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site_check" ADD CONSTRAINT "site_check_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site_check_result" ADD CONSTRAINT "site_check_result_check_id_fkey" FOREIGN KEY ("check_id") REFERENCES "site_check"("id") ON DELETE CASCADE ON UPDATE CASCADE;
