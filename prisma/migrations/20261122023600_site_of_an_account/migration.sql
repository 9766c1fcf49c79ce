-- DropIndex
DROP INDEX "site_account_id_id_idx";

-- DropIndex
DROP INDEX "delivery_site_id_document_id_account_id_key";

-- AlterTable
ALTER TABLE "site" DROP CONSTRAINT "site_pkey",
ADD CONSTRAINT "site_pkey" PRIMARY KEY ("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "delivery_account_id_site_id_document_id_key" ON "delivery"("account_id", "site_id", "document_id");

-- Pumps that wait name their site without its account. The sweep queues them again within two seconds. On a new database
-- the job queue's own tables are not there yet.
DO $$
BEGIN
  IF to_regnamespace('graphile_worker') IS NOT NULL THEN
    PERFORM graphile_worker.remove_job(key) FROM graphile_worker.jobs WHERE key LIKE 'pump:%';
  END IF;
END
$$;
