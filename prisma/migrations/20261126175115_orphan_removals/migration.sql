-- CreateTable
CREATE TABLE "orphan_removal" (
    "kind" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "delivery_id" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "orphan_removal_pkey" PRIMARY KEY ("number","kind","delivery_id")
);

-- CreateIndex
CREATE INDEX "orphan_removal_delivery_id_idx" ON "orphan_removal"("delivery_id");

-- AddForeignKey
ALTER TABLE "orphan_removal" ADD CONSTRAINT "orphan_removal_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;
