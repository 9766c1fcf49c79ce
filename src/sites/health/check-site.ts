import { z } from 'zod'
import { execute, storableJson } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { asFailure, type GalleyError, isInterrupted } from '../../errors.ts'
import { createTask, defineJob, enqueueMany, laneOf, type WorkFactory } from '../../jobs/job.ts'
import type { Logger } from '../../log/log.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { createClient } from '../../wordpress/client/client.ts'
import { findRegressions, type KnownLevel } from '../../wordpress/doctor/report.ts'
import { runChecks } from '../../wordpress/doctor/run-checks.ts'
import { type ConnectedCredentials, connectionOf, type SiteId } from '../connection.ts'
import { type SiteRegistry, siteChanged, siteRow } from '../registry.ts'
import { siteSettingsSchema } from '../settings.ts'
import { problemSinceSql, reportsProblem, reportView, type SiteReport, type StoredReport } from './report.ts'
import { notifiedSiteColumns, siteGotWorse } from './state.ts'

/** What a check found, and why it ended before or at the credentials, if it did. */
export interface CheckedSite {
  report: SiteReport
  failure: GalleyError | null
  connectedAs: ConnectedCredentials
}

/**
 * Checks a site, again where it was connected anew meanwhile, stores the report, and notifies of lines that got worse.
 * @throws GalleyError 404; 409 `SITE_CHANGED`; `secret_key_missing`, `secret_unreadable`; `request_aborted` at the end of this process
 */
export async function checkSite(
  registry: SiteRegistry & { pool: Queryable },
  site: SiteId,
): Promise<CheckedSite> {
  for (let looks = 0; looks < MAX_CHECK_ROUNDS; looks += 1) {
    const checked = await checkOnce(registry, site)
    if (checked !== null) return checked
  }
  throw siteChanged(site)
}

const MAX_CHECK_ROUNDS = 3

/** Null where the connection changed meanwhile; the report is then discarded. */
async function checkOnce(
  { prisma, pool, keyring, outbound }: SiteRegistry & { pool: Queryable },
  site: SiteId,
): Promise<CheckedSite | null> {
  const row = await siteRow({ prisma }, site)
  const { post_type: postType, format, language } = siteSettingsSchema.parse(row.settings)
  const { username, applicationPassword: sealedPassword, authorId } = row
  let interrupted: GalleyError | undefined
  const request: Outbound['request'] = (...asked) =>
    outbound.request(...asked).catch((error) => {
      if (isInterrupted(error)) interrupted = error
      throw error
    })
  const client = createClient(connectionOf(keyring, row), { ...outbound, request })
  const { failure, ...found } = await runChecks(client, { postType, format, authorId, language })
  // Only now, since the check has removed what it made. The report would blame the site for what Galley could not ask.
  if (interrupted !== undefined) throw interrupted
  const before = row.report as unknown as StoredReport | null
  const known = before && [...before.findings.map(levelOf), ...(before.unseen ?? [])]
  const worse = known === null ? [] : findRegressions(known, found.findings)
  const report: StoredReport = {
    ...found,
    worse: worse.map(({ check }) => check),
    ...(found.abilities === null && {
      abilities: before?.abilities ?? null,
      home: found.home ?? before?.home ?? null,
      unseen: known?.filter(({ check }) => found.findings.every((line) => line.check !== check)),
    }),
  }
  const rowCount = await execute(pool, STORE_REPORT, {
    accountId: site.accountId,
    id: site.id,
    restRoot: row.restRoot,
    username,
    sealedPassword,
    report: storableJson(report),
    level: found.level,
    // What keeps Galley out altogether is told as the site's outage.
    worse: storableJson(failure === null ? worse : []),
    checkedAt: found.checkedAt,
    before: row.reportAt,
    seoField: found.abilities === null ? row.seoField : found.abilities.seoField,
  })
  if (rowCount === 0) return null
  const connectedAs = { username, sealedPassword, authorId, language: language ?? null }
  return { report: reportView(report) as SiteReport, failure, connectedAs }
}

const levelOf = ({ check, level }: KnownLevel): KnownLevel => ({ check, level })

// Concurrent checks compare with the same earlier report; only the first one stored notifies. One that began before another
// that has ended by now says nothing new.
const STORE_REPORT = `
  WITH before AS (
    SELECT id, account_id, report_at,
      CASE WHEN ${reportsProblem('site')} THEN ${problemSinceSql('site')} ELSE :checkedAt::timestamptz END AS since
    FROM site
    WHERE id = :id AND account_id = :accountId AND rest_root = :restRoot AND username = :username
      AND application_password = :sealedPassword FOR UPDATE
  ), checked AS (
    UPDATE site SET report_at = :checkedAt::timestamptz,
      report = :report::jsonb || CASE :level::text WHEN 'problem' THEN jsonb_build_object('since', before.since) ELSE '{}' END,
      seo_field = :seoField::text, updated_at = now()
    FROM before WHERE site.id = before.id AND site.account_id = before.account_id
      AND (before.report_at <= :checkedAt::timestamptz) IS NOT FALSE
    RETURNING ${notifiedSiteColumns('site')}, :level::text AS level,
      CASE WHEN before.report_at IS NOT DISTINCT FROM :before::timestamptz THEN :worse::jsonb ELSE '[]' END AS worse
  ), ${notifyReceivers(siteGotWorse('checked'))}
  SELECT FROM before`

/** Of any version: callers choose the ids of sites. */
const id = z.guid()

/** Sites of an account checked at once. A hanging site delays the others of its lane. */
const LANES = 4

/** Checks a site that failed or is new. Repeated requests merge into one job, which keeps its due time. */
export const checkSiteJob = defineJob({
  name: 'check_site',
  payload: z.object({ accountId: id, siteId: id }),
  queue: ({ accountId, siteId }) => `('check_site:' || ${accountId} || ':' || ${laneOf(siteId, LANES)})`,
  key: ({ accountId, siteId }) => `('check_site:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
  maxAttempts: 3,
})

/** Has sites checked that were just connected, each by a job. */
export const startChecks = (database: Queryable, accountId: string, siteIds: readonly string[]) =>
  enqueueMany(
    database,
    checkSiteJob,
    siteIds.map((siteId) => ({ accountId, siteId })),
  )

interface CheckDependencies {
  check(site: SiteId): Promise<SiteReport>
  log: Logger
}

/** The task that checks sites. Logs regressions for the operator. */
export const healthWork = ({ check, log }: CheckDependencies): WorkFactory => {
  const task = createTask(checkSiteJob, async ({ accountId, siteId: id }) => {
    try {
      const { level, findings } = await check({ accountId, id })
      const regressions = findings
        .filter(({ changed }) => changed)
        .map(({ check, seen }) => `${check}: ${seen}`)
      log.info({ site: id, level, regressions }, 'a site was checked')
    } catch (error) {
      if (isInterrupted(error)) throw error
      // The site was removed, or its password cannot be read, which its trouble already says.
      const { code, message } = asFailure(error)
      log.info({ site: id, code }, `a site could not be checked: ${message}`)
    }
  })
  return () => ({ tasks: [task] })
}
