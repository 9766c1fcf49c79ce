-- CreateIndex
CREATE INDEX "generation_job_account_id_kind_id_idx" ON "generation_job"("account_id", "kind", "id");

-- CreateIndex
CREATE INDEX "generation_job_account_id_status_id_idx" ON "generation_job"("account_id", "status", "id");
