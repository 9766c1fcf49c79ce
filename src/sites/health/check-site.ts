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
 * Checks a site, stores the report, and notifies receivers of lines that got worse. Checks again where the site was
 * connected anew meanwhile.
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

/** Null where the connection changed meanwhile; the report is then discarded. */
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
      // What could not be checked keeps its last value.
      looked: found.abilities !== null,
      seoField: found.abilities?.seoField ?? null,
    }),
  )
  return rowCount === 0 ? null : (reportView(report) as SiteReport)
}

// Concurrent checks compare with the same earlier report; only the first one stored notifies.
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

// Jobs that check sites; sites/health/checks.ts registers their handlers.

/** Of any version: callers choose the ids of sites. */
const id = z.guid()

/** Sites checked at once after a failure. A hanging site delays the others of its lane. */
const LANES = 4

/** Checks a site that failed. Repeated requests merge into one job, which keeps its due time. */
export const checkAfterFailureJob = defineJob({
  name: 'check_site',
  payload: z.object({ accountId: id, siteId: id }),
  queue: ({ siteId }) => `('check_site:' || abs(hashtext(${siteId}::text) % ${LANES}))`,
  key: ({ accountId, siteId }) => `('check_site:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
  maxAttempts: 1,
})

/** Checks all sites of a check. An account runs as many checks at once as it has lanes. */
export const checkJob = defineJob({
  name: 'check_sites',
  payload: z.object({ checkId: id, accountId: id }),
  queue: ({ checkId, accountId }) =>
    `('check:' || ${accountId} || ':' || abs(hashtext(${checkId}::text) % ${LANES}))`,
  key: ({ checkId }) => `('check:' || ${checkId})`,
  maxAttempts: 3,
})

/** Removes old checks; only its schedule starts it. */
export const forgetChecksJob = defineJob({ name: 'forget_checks', payload: z.object({}) })

/**
 * Queues a check of a site whose trouble is about to begin or change, so that its report is about this failure. A recent
 * report suffices. A `Retry-After` of the site delays the check.
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

/** Runs the check after a failure. Logs regressions for the operator. */
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
    // The site was removed, or its password cannot be read, which its trouble already says.
    if (!(error instanceof GalleyError)) throw error
    log.info(
      { site: site.id, code: error.code },
      `a site that had failed could not be checked: ${error.message}`,
    )
  }
}
