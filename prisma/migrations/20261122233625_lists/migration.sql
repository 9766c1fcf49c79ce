-- AlterTable
ALTER TABLE "site" ADD COLUMN     "stop_reason" TEXT,
ADD COLUMN     "stopped_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "delivery" ADD COLUMN     "source_id" UUID,
ADD COLUMN     "title" TEXT;

-- Of what is there already, as far as its event still has it: each delivery is written once, and nothing is read twice.
-- What an older Galley took for a document and PostgreSQL does not take for JSON has no title.
CREATE FUNCTION pg_temp.title_of(body BYTEA) RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  data JSON;
BEGIN
  IF body IS NULL THEN RETURN NULL; END IF;
  data := convert_from(body, 'UTF8')::json -> 'data';
  RETURN left(btrim(regexp_replace(coalesce(
    nullif(btrim(data ->> 'title'), ''), data #>> '{content,meta,title}'), '[[:cntrl:][:space:]]+', ' ', 'g')), 300);
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN NULL;
END
$$;

UPDATE "delivery" SET "source_id" = "event"."source_id", "title" = nullif(pg_temp.title_of("event"."body"), '')
FROM "event" WHERE "event"."id" = "delivery"."wanted_event_id";

DROP FUNCTION pg_temp.title_of(BYTEA);

-- CreateIndex
CREATE INDEX "delivery_account_id_source_id_id_idx" ON "delivery"("account_id", "source_id", "id");

-- CreateIndex
CREATE INDEX "delivery_account_id_updated_at_id_idx" ON "delivery"("account_id", "updated_at", "id");

-- Of few rows among many, which Prisma's language cannot say.

-- What of a site is not delivered, in the order of lists.
CREATE INDEX "delivery_open_idx" ON "delivery"("account_id", "site_id", "id") WHERE "status" <> 'delivered';

-- What has an error, by its code.
CREATE INDEX "delivery_error_idx" ON "delivery"("account_id", ("error" ->> 'code'), "id") WHERE "error" IS NOT NULL;
