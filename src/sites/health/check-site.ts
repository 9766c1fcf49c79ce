import { named } from '../../database/named.ts'
import { storableJson } from '../../database/storable.ts'
import type { Queryable } from '../../database/transaction.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { createClient } from '../../wordpress/client/index.ts'
import { runChecks, whatGotWorse } from '../../wordpress/doctor/index.ts'
import { connectionOf } from '../connection.ts'
import { type SiteRegistry, siteChanged, siteRow } from '../registry.ts'
import { siteSettingsSchema } from '../settings.ts'
import type { SiteId } from '../site-id.ts'
import { gotWorse, notifiedColumns } from './notifications.ts'
import { reportView, type SiteReport, type StoredReport } from './report.ts'

/**
 * Sends the doctor to a site and keeps what was found, each line that got worse since the last time marked as a regression, of which
 * the account's receivers are told.
 *
 * A site that was connected anew meanwhile is looked at anew: what was found says nothing about it.
 *
 * @throws GalleyError 404; 409 `SITE_CHANGED`; `secret_key_missing`, `secret_unreadable`
 */
export async function checkSite(
  registry: SiteRegistry & { pool: Queryable },
  site: SiteId,
): Promise<SiteReport> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const report = await checkOnce(registry, site)
    if (report !== null) return report
  }
  throw siteChanged(site)
}

const MOST_LOOKS = 3

/** Null where the report is not about the site as it is connected now, and was not kept. */
async function checkOnce(
  { prisma, pool, keyring, outbound }: SiteRegistry & { pool: Queryable },
  site: SiteId,
): Promise<SiteReport | null> {
  const row = await siteRow({ prisma }, site)
  const { post_type: postType, format, language } = siteSettingsSchema.parse(row.settings)
  const { authorId } = row
  const found = await runChecks(createClient(connectionOf(keyring, row), outbound), {
    postType,
    format,
    authorId,
    language,
  })
  const before = row.report as unknown as StoredReport | null
  const worse = before === null ? [] : whatGotWorse(before, found)
  const report: StoredReport = { ...found, worse: worse.map(({ check }) => check) }
  const { rowCount } = await pool.query(
    named(KEEP, {
      accountId: site.accountId,
      id: site.id,
      restRoot: row.restRoot,
      username: row.username,
      sealedPassword: row.applicationPassword,
      report: storableJson(report),
      level: found.level,
      worse: storableJson(worse),
      checkedAt: found.checkedAt,
      before: row.reportAt,
      // What could not be looked at stays as it was last seen.
      looked: found.abilities !== null,
      seoField: found.abilities?.seoField ?? null,
    }),
  )
  return rowCount === 0 ? null : (reportView(report) as SiteReport)
}

// Of two checks at once both compare with the report before: the one that is stored first tells of it.
const KEEP = `
  WITH before AS (
    SELECT id, account_id, report_at FROM site
    WHERE id = :id AND account_id = :accountId AND rest_root = :restRoot AND username = :username
      AND application_password = :sealedPassword FOR UPDATE
  ), checked AS (
    UPDATE site SET report = :report::jsonb, report_at = :checkedAt::timestamptz,
      seo_field = CASE WHEN :looked::bool THEN :seoField::text ELSE site.seo_field END, updated_at = now()
    FROM before WHERE site.id = before.id AND site.account_id = before.account_id
    RETURNING ${notifiedColumns('site')}, :level::text AS level,
      CASE WHEN before.report_at IS NOT DISTINCT FROM :before::timestamptz THEN :worse::jsonb ELSE '[]' END AS worse
  ), ${notifyReceivers(gotWorse('checked'))}
  SELECT FROM checked`
