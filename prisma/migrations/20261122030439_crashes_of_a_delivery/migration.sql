-- AlterTable
ALTER TABLE "delivery" ADD COLUMN     "crashed" INTEGER[] DEFAULT ARRAY[]::INTEGER[];

-- AlterTable
ALTER TABLE "worker_process" ADD COLUMN     "stopping_at" TIMESTAMPTZ(3);

-- Prisma has no words for indexes of a part. What is under way, for whoever looks for what nobody works on any more:
CREATE INDEX "delivery_under_way" ON "delivery" ("leased_by") WHERE "status" = 'delivering';

-- What is to be done alone:
CREATE INDEX "delivery_alone" ON "delivery" ("account_id", "site_id") WHERE cardinality("crashed") >= 2;
