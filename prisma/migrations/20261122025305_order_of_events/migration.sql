-- What is there already keeps the order it had until now: that of the time at which it came.
CREATE SEQUENCE "event_seq_seq" AS BIGINT;
ALTER TABLE "event" ADD COLUMN     "seq" BIGINT;
UPDATE "event" SET "seq" = "ordered"."seq"
FROM (SELECT "id", row_number() OVER (ORDER BY "received_at", "id") AS "seq" FROM "event") AS "ordered"
WHERE "ordered"."id" = "event"."id";
SELECT setval('event_seq_seq', (SELECT coalesce(max("seq"), 0) + 1 FROM "event"), false);

-- AlterTable
ALTER TABLE "event" ALTER COLUMN "seq" SET DEFAULT nextval('event_seq_seq'), ALTER COLUMN "seq" SET NOT NULL;
ALTER SEQUENCE "event_seq_seq" OWNED BY "event"."seq";

-- AlterTable
ALTER TABLE "delivery" ADD COLUMN     "wanted_seq" BIGINT NOT NULL DEFAULT 0;
UPDATE "delivery" SET "wanted_seq" = "event"."seq" FROM "event" WHERE "event"."id" = "delivery"."wanted_event_id";
