-- CreateIndex
CREATE INDEX "site_check_finished_at_idx" ON "site_check"("finished_at");

-- CreateIndex
CREATE INDEX "site_import_ended_at_idx" ON "site_import"("ended_at");
