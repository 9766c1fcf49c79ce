-- CreateIndex
CREATE INDEX "delivery_post_id_idx" ON "delivery"("post_id");

-- CreateIndex
CREATE INDEX "delivery_media_media_id_idx" ON "delivery_media"("media_id");
