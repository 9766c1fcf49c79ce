import pMap from 'p-map'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import { isTransientDatabaseError } from '../../database/errors.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import { named } from '../../database/statement.ts'
import { retryUntilStored } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import { addJob, createTask, enqueue, type WorkFactory } from '../../jobs/job.ts'
import { assertJobQuota, isAccountEnabled, requeueUnfinished } from '../../jobs/unfinished-jobs.ts'
import { type PageRequest, toPage } from '../../lib/paging.ts'
import type { Logger } from '../../log/log.ts'
import type { SiteId } from '../connection.ts'
import type { SiteRegistry } from '../registry.ts'
import {
  checkAfterFailure,
  checkAfterFailureJob,
  checkJob,
  checkSite,
  forgetChecksJob,
} from './check-site.ts'

/** Sites checked at once by one check. */
const CONCURRENCY = 4

/**
 * Limits the unfinished checks of an account. Applies to requested checks; connecting a site starts its own.
 * @throws GalleyError 429 `TOO_MANY_JOBS`
 */
export const refuseTooManyChecks = (pool: Pool, check: { id: string; accountId: string }): Promise<void> =>
  assertJobQuota(pool, CHECKS, check)

const CHECKS = { table: 'site_check', ended: 'finished_at', called: 'checks of sites' } as const

interface CheckTarget {
  /** Starting a check with a known id has no effect. */
  id?: string
  accountId: string
  label?: string | undefined
  siteIds?: string[]
}

/**
 * Starts a check of all chosen sites as a job. The job is stored before this returns and survives a crash.
 * @returns the id of the check
 * @throws GalleyError 422 `LABEL_UNKNOWN` for a label that no site has
 */
export async function startCheck(
  pool: Pool,
  { id = uuid(), accountId, label, siteIds }: CheckTarget,
): Promise<string> {
  const { rowCount } = await pool.query(
    named(
      `WITH made AS (
         INSERT INTO site_check (id, account_id)
         SELECT :id::uuid, :accountId::uuid WHERE :label::text IS NULL OR EXISTS (
           SELECT 1 FROM site WHERE account_id = :accountId AND :label = ANY (labels)
             AND (:siteIds::uuid[] IS NULL OR id = ANY (:siteIds)))
         ON CONFLICT (id) DO NOTHING RETURNING id
       ), chosen AS (
         INSERT INTO site_check_result (check_id, site_id, status)
         SELECT made.id, site.id, 'waiting' FROM made, site
         WHERE site.account_id = :accountId AND (:label::text IS NULL OR :label = ANY (site.labels))
           AND (:siteIds::uuid[] IS NULL OR site.id = ANY (:siteIds))
       )
       SELECT ${addJob(checkJob, { checkId: 'id', accountId: ':accountId::uuid' })} FROM made`,
      { id, accountId, label: label ?? null, siteIds: siteIds ?? null },
    ),
  )
  if (rowCount === 0 && label !== undefined) throw labelUnknown(label)
  return id
}

type CheckDependencies = SiteRegistry & {
  pool: Pool
  log: Logger
  resume: (site: SiteId) => Promise<unknown>
}

/**
 * Checks every waiting site. On `stopping` it requeues the rest. A check of a disabled account is requeued once the
 * account is enabled. A database outage uses up no attempt.
 */
export async function runCheck(
  registry: CheckDependencies,
  checkId: string,
  stopping: AbortSignal,
): Promise<void> {
  const { prisma, pool, log } = registry
  const check = await prisma.siteCheck.findUnique({
    where: { id: checkId },
    include: { results: { where: { status: 'waiting' }, select: { siteId: true } } },
  })
  // The account was removed with its checks.
  if (check === null) return
  const { accountId } = check
  let enabled = true
  const look = async (siteId: string) => {
    enabled &&= await isAccountEnabled(pool, accountId)
    if (stopping.aborted || !enabled) return
    const status = await checkOne(registry, { accountId, id: siteId })
    const data = { status, checkedAt: new Date() }
    await prisma.siteCheckResult.updateMany({ where: { checkId, siteId }, data })
  }
  // The job must not end before its work does: work outside the job would outlive the shutdown.
  await pMap(check.results, ({ siteId }) => retryUntilStored({ stopping, log }, () => look(siteId)), {
    concurrency: CONCURRENCY,
    stopOnError: false,
  })
  if (!enabled) return
  if (stopping.aborted) await enqueue(pool, checkJob, { checkId, accountId })
  else await prisma.siteCheck.updateMany({ where: { id: checkId }, data: { finishedAt: new Date() } })
}

async function checkOne(
  registry: CheckDependencies,
  site: SiteId,
): Promise<'ok' | 'warning' | 'problem' | 'gone'> {
  try {
    const { level } = await checkSite(registry, site)
    if (level !== 'problem') await registry.resume(site)
    return level
  } catch (error) {
    // Its password cannot be read, or it was removed meanwhile.
    if (error instanceof GalleyError) return error.code === 'NOT_FOUND' ? 'gone' : 'problem'
    if (isTransientDatabaseError(error)) throw error
    // A retry would fail again and hold up the other sites.
    registry.log.error({ err: error, site: site.id }, 'a site could not be checked')
    return 'problem'
  }
}

const labelUnknown = (label: string) =>
  new GalleyError({
    code: 'LABEL_UNKNOWN',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: `No site of this account has the label “${label}”, so nothing was checked. GET /v1/sites shows the labels of each site.`,
    details: { label },
  })

const status = z
  .enum(['waiting', 'ok', 'warning', 'problem', 'gone'])
  .describe('The level of the report; absent where the site was removed meanwhile.')

/** Progress and results of a check of many sites. */
export const siteCheckSchema = z
  .object({
    id: z.guid(),
    status: z.enum(['running', 'done']),
    counts: z
      .object({
        waiting: z.int(),
        ok: z.int(),
        warning: z.int(),
        problem: z.int(),
        gone: z.int(),
      })
      .describe('Sites by what was found.'),
    results: z
      .array(
        z.object({
          site_id: z.guid(),
          name: z.string().nullable().describe('Null where the site was removed.'),
          status,
          checked_at: z.iso.datetime().nullable(),
        }),
      )
      .describe('A page of them, by site. GET /v1/sites/{uuid} has the report.'),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SiteCheck' })

type SiteCheckView = z.output<typeof siteCheckSchema>

/**
 * @param siteIds the only sites whose results are shown; null for all
 * @throws GalleyError 404
 */
export async function getCheck(
  prisma: PrismaClient,
  {
    accountId,
    siteIds,
    id,
    limit,
    cursor,
  }: PageRequest & { accountId: string; siteIds: string[] | null; id: string },
): Promise<{ check: SiteCheckView; nextCursor: string | null }> {
  const check = await prisma.siteCheck.findFirst({ where: { id, accountId } })
  if (check === null) throw checkUnknown(id)
  const seen = siteIds === null ? {} : { siteId: { in: siteIds } }
  const groups = await prisma.siteCheckResult.groupBy({
    by: ['status'],
    where: { checkId: id, ...seen },
    _count: true,
  })
  const rows = await prisma.siteCheckResult.findMany({
    where: { checkId: id, siteId: { ...(cursor !== undefined && { gt: cursor }), ...seen.siteId } },
    orderBy: { siteId: 'asc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(
    rows.map((row) => ({ ...row, id: row.siteId })),
    limit,
  )
  const sites = await prisma.site.findMany({
    where: { accountId, id: { in: items.map(({ siteId }) => siteId) } },
    select: { id: true, name: true },
  })
  const names = new Map(sites.map((site) => [site.id, site.name]))
  const count = (wanted: string) => groups.find((group) => group.status === wanted)?._count ?? 0
  return {
    check: {
      id,
      status: check.finishedAt === null ? 'running' : 'done',
      counts: {
        waiting: count('waiting'),
        ok: count('ok'),
        warning: count('warning'),
        problem: count('problem'),
        gone: count('gone'),
      },
      results: items.map((row) => ({
        site_id: row.siteId,
        name: names.get(row.siteId) ?? null,
        status: status.parse(row.status),
        checked_at: row.checkedAt?.toISOString() ?? null,
      })),
      created_at: check.createdAt.toISOString(),
      finished_at: check.finishedAt?.toISOString() ?? null,
    },
    nextCursor,
  }
}

const checkUnknown = (id: string) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no check ${id}. POST /v1/sites/check starts one.`,
  })

/** Rows per statement, few enough to block nobody. */
const CHECK_BATCH = 2_000

/** Deletes checks older than `days`, their results first and in batches. Each site keeps its own report. */
export async function deleteOldChecks(pool: Pool, days: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ id: string }>(named(DELETE_OLDEST_CHECKS, { days }))
    const [oldest] = rows
    if (oldest === undefined) return
    const { rowCount } = await pool.query(named(DELETE_CHECK_RESULTS, oldest))
    if (rowCount !== CHECK_BATCH) await pool.query(named('DELETE FROM site_check WHERE id = :id', oldest))
  }
}

const DELETE_OLDEST_CHECKS = `
  SELECT id FROM site_check WHERE created_at < now() - make_interval(days => :days) ORDER BY created_at LIMIT 1`

const DELETE_CHECK_RESULTS = `
  DELETE FROM site_check_result WHERE check_id = :id AND site_id = ANY (ARRAY(
    SELECT site_id FROM site_check_result WHERE check_id = :id ORDER BY site_id LIMIT ${CHECK_BATCH}))`

interface HealthDependencies extends SiteRegistry {
  pool: Pool
  log: Logger
  /** Resumes what waits for a site that works. */
  resume: (site: SiteId) => Promise<unknown>
  /** Days that checks of many sites are kept; 0 keeps them for ever. */
  retentionDays: number
}

/** Tasks of site health: checks, and the removal of old ones. */
export const healthWork =
  (needs: HealthDependencies): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(checkAfterFailureJob, ({ accountId, siteId: id }) =>
        checkAfterFailure(needs, { accountId, id }),
      ),
      createTask(checkJob, ({ checkId }) => runCheck(needs, checkId, stopping)),
      createTask(
        forgetChecksJob,
        async () => {
          if (needs.retentionDays > 0) await deleteOldChecks(needs.pool, needs.retentionDays)
        },
        '46 3 * * *',
      ),
    ],
    sweep: {
      rarely: () =>
        requeueUnfinished(needs.pool, CHECKS, checkJob, { checkId: 't.id', accountId: 't.account_id' }),
    },
  })
