-- CreateIndex
CREATE INDEX "site_check_created_at_idx" ON "site_check"("created_at");
