-- AlterTable
ALTER TABLE "notification" ADD COLUMN     "leased_by" INTEGER,
ADD COLUMN     "leased_until" TIMESTAMPTZ(3),
ADD COLUMN     "repeat_at" TIMESTAMPTZ(3);

-- Of the few that somebody asked for again, or that are under way.
CREATE INDEX "notification_repeat_at" ON "notification" ("repeat_at") WHERE "repeat_at" IS NOT NULL;
CREATE INDEX "notification_leased_by" ON "notification" ("leased_by") WHERE "leased_by" IS NOT NULL;
