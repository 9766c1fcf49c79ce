-- DropIndex
DROP INDEX "generation_job_due_at_idx";

-- AlterTable
ALTER TABLE "generation_job" ADD COLUMN     "waits_for" TEXT NOT NULL DEFAULT '';

-- AlterTable
-- Those that are there already were each sent under their own id.
ALTER TABLE "generation_call" ADD COLUMN     "key" UUID;
UPDATE "generation_call" SET "key" = "id";
ALTER TABLE "generation_call" ALTER COLUMN "key" SET NOT NULL;

-- AlterTable
ALTER TABLE "generation_provider" ADD COLUMN     "served_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "generation_job_waits_for_due_at_idx" ON "generation_job"("waits_for", "due_at");

-- CreateIndex
CREATE INDEX "generation_job_leased_by_idx" ON "generation_job"("leased_by");
