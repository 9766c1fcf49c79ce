import { z } from 'zod'
import { named, storableJson } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { addJob, defineJob } from '../../jobs/job.ts'
import type { Logger } from '../../log/log.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { createClient } from '../../wordpress/client/index.ts'
import { findRegressions, runChecks } from '../../wordpress/doctor/index.ts'
import { connectionOf, type SiteId } from '../connection.ts'
import { type SiteRegistry, siteChanged, siteRow } from '../registry.ts'
import { siteSettingsSchema } from '../settings.ts'
import { notifiedSiteColumns, siteGotWorse, sitePauseMs } from './outage.ts'
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
  for (let looks = 0; looks < MAX_CHECK_ROUNDS; looks += 1) {
    const report = await checkOnce(registry, site)
    if (report !== null) return report
  }
  throw siteChanged(site)
}

const MAX_CHECK_ROUNDS = 3

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
  const worse = before === null ? [] : findRegressions(before, found)
  const report: StoredReport = { ...found, worse: worse.map(({ check }) => check) }
  const { rowCount } = await pool.query(
    named(STORE_REPORT, {
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
const STORE_REPORT = `
  WITH before AS (
    SELECT id, account_id, report_at FROM site
    WHERE id = :id AND account_id = :accountId AND rest_root = :restRoot AND username = :username
      AND application_password = :sealedPassword FOR UPDATE
  ), checked AS (
    UPDATE site SET report = :report::jsonb, report_at = :checkedAt::timestamptz,
      seo_field = CASE WHEN :looked::bool THEN :seoField::text ELSE site.seo_field END, updated_at = now()
    FROM before WHERE site.id = before.id AND site.account_id = before.account_id
    RETURNING ${notifiedSiteColumns('site')}, :level::text AS level,
      CASE WHEN before.report_at IS NOT DISTINCT FROM :before::timestamptz THEN :worse::jsonb ELSE '[]' END AS worse
  ), ${notifyReceivers(siteGotWorse('checked'))}
  SELECT FROM checked`

// The kinds of jobs that look at sites. What each does is registered in sites/health/checks.ts.

/** Of any version: callers number their sites as they like. */
const id = z.guid()

/** Sites that are checked side by side after a failure; one that hangs holds up the others of its lane. */
const LANES = 4

/** Sends the doctor to a site that failed. However often it is added, one waits, and keeps its time. */
export const checkAfterFailureJob = defineJob({
  name: 'check_site',
  payload: z.object({ accountId: id, siteId: id }),
  queue: ({ siteId }) => `('check_site:' || abs(hashtext(${siteId}::text) % ${LANES}))`,
  key: ({ accountId, siteId }) => `('check_site:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
  maxAttempts: 1,
})

/** Sends the doctor to all sites of a check: as many of an account at once as it has lanes, however many it asks for. */
export const checkJob = defineJob({
  name: 'check_sites',
  payload: z.object({ checkId: id, accountId: id }),
  queue: ({ checkId, accountId }) =>
    `('check:' || ${accountId} || ':' || abs(hashtext(${checkId}::text) % ${LANES}))`,
  key: ({ checkId }) => `('check:' || ${checkId})`,
  maxAttempts: 3,
})

/** Removes old checks; planned by its timetable alone. */
export const forgetChecksJob = defineJob({ name: 'forget_checks', payload: z.object({}) })

/**
 * Sends the doctor to a site that is about to be in trouble, or in another trouble than before, as a job: what its owner
 * reads is then about this and not about the day of connecting. A report of a moment ago will do, and a site that asked
 * to be left alone is, until then.
 */
export async function queueCheckAfterFailure(
  { database, timing }: { database: Queryable; timing: Pick<Timing, 'checkAgainAfterMs'> },
  { accountId, id }: SiteId,
  { code, retryAfterMs }: GalleyError,
): Promise<void> {
  if (!Number.isFinite(timing.checkAgainAfterMs)) return
  const rest = retryAfterMs === undefined ? 0 : sitePauseMs(1, { firstMs: 0, retryAfterMs, random: 0 })
  await database.query(
    named(
      `SELECT ${addJob(checkAfterFailureJob, { accountId: 'account_id', siteId: 'id' }, ':rest')}
       FROM site
       WHERE id = :id AND account_id = :accountId AND trouble ->> 'code' IS DISTINCT FROM :code
         AND (report_at IS NULL OR report_at < now() - :gapMs::float8 * interval '1 millisecond')`,
      { id, accountId, code, gapMs: timing.checkAgainAfterMs, rest },
    ),
  )
}

/** The job itself; what got worse since the last report is in the log, too, for whoever watches all sites. */
export async function checkAfterFailure(
  registry: SiteRegistry & { pool: Queryable; log: Logger },
  site: SiteId,
): Promise<void> {
  const { log } = registry
  try {
    const { level, findings } = await checkSite(registry, site)
    const regressions = findings
      .filter(({ changed }) => changed)
      .map(({ check, seen }) => `${check}: ${seen}`)
    log.info({ site: site.id, level, regressions }, 'a site that had failed was checked')
  } catch (error) {
    // It was removed meanwhile, or its password cannot be read: there is nothing to check, and its trouble says why.
    if (!(error instanceof GalleyError)) throw error
    log.info(
      { site: site.id, code: error.code },
      `a site that had failed could not be checked: ${error.message}`,
    )
  }
}
