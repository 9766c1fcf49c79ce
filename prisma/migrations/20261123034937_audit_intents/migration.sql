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

-- AddForeignKey
ALTER TABLE "audit_intent" ADD CONSTRAINT "audit_intent_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
