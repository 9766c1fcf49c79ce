-- CreateIndex
CREATE INDEX "audit_entry_account_id_subject_kind_id_idx" ON "audit_entry"("account_id", "subject_kind", "id");
