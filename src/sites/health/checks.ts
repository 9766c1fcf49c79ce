import pMap from 'p-map'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../../database/named.ts'
import { isPassing } from '../../database/sqlstates.ts'
import { GalleyError } from '../../errors.ts'
import { addJob, enqueue } from '../../jobs/job.ts'
import { persist } from '../../jobs/persist.ts'
import { isEnabled, refuseTooMany } from '../../jobs/under-way.ts'
import type { Logger } from '../../log.ts'
import type { SiteRegistry } from '../registry.ts'
import type { SiteId } from '../site-id.ts'
import { checkSite } from './check-site.ts'
import { checkJob } from './jobs.ts'

/** Sites that one check looks at side by side; each takes a few seconds of somebody else's server. */
const CONCURRENCY = 4

/**
 * For checks that somebody asks for; those that follow from connecting sites are as many as these.
 *
 * @throws GalleyError 429 `TOO_MANY_JOBS`
 */
export const refuseTooManyChecks = (pool: Pool, check: { id: string; accountId: string }): Promise<void> =>
  refuseTooMany(pool, CHECKS, check)

export const CHECKS = { table: 'site_check', ended: 'finished_at', called: 'checks of sites' } as const

interface Chosen {
  /** Of the check; the same id again starts no other. */
  id?: string
  accountId: string
  /** Only sites with this label. */
  label?: string | undefined
  /** Only these sites. */
  siteIds?: string[]
}

/**
 * Sends the doctor to all chosen sites, as a job: it is stored before this returns, and a worker that stops or dies
 * half-way is followed by another.
 *
 * @returns the id of the check
 * @throws GalleyError 422 `LABEL_UNKNOWN` for a label that no site has
 */
export async function startCheck(
  pool: Pool,
  { id = uuid(), accountId, label, siteIds }: Chosen,
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

/** What a check works with. */
type Checking = SiteRegistry & { pool: Pool; log: Logger; resume: (site: SiteId) => Promise<unknown> }

/**
 * The job itself: every site that waits, a few at a time. Asked to stop, it leaves the rest to the next worker; where its
 * account was disabled, it is planned again when that is enabled (work.ts). A database that is away costs it no attempt.
 */
export async function runCheck(registry: Checking, checkId: string, stopping: AbortSignal): Promise<void> {
  const { prisma, pool, log } = registry
  const check = await prisma.siteCheck.findUnique({
    where: { id: checkId },
    include: { results: { where: { status: 'waiting' }, select: { siteId: true } } },
  })
  // The account was removed, and all of it with it.
  if (check === null) return
  const { accountId } = check
  let enabled = true
  const look = async (siteId: string) => {
    enabled &&= await isEnabled(pool, accountId)
    if (stopping.aborted || !enabled) return
    const status = await checkOne(registry, { accountId, id: siteId })
    const data = { status, checkedAt: new Date() }
    await prisma.siteCheckResult.updateMany({ where: { checkId, siteId }, data })
  }
  // All of it ends before the job does: what went on outside it would go on after the process' end.
  await pMap(check.results, ({ siteId }) => persist({ stopping, log }, () => look(siteId)), {
    concurrency: CONCURRENCY,
    stopOnError: false,
  })
  if (!enabled) return
  if (stopping.aborted) await enqueue(pool, checkJob, { checkId, accountId })
  else await prisma.siteCheck.updateMany({ where: { id: checkId }, data: { finishedAt: new Date() } })
}

async function checkOne(registry: Checking, site: SiteId): Promise<'ok' | 'warning' | 'problem' | 'gone'> {
  try {
    const { level } = await checkSite(registry, site)
    if (level !== 'problem') await registry.resume(site)
    return level
  } catch (error) {
    // Its password cannot be read any more, or it was removed while it waited.
    if (error instanceof GalleyError) return error.code === 'NOT_FOUND' ? 'gone' : 'problem'
    if (isPassing(error)) throw error
    // It would fail the next time, too, and the other sites with it.
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
