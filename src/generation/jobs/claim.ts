import type { Pool } from 'pg'
import { batched } from '../../database/batched.ts'
import { named } from '../../database/statement.ts'
import { type JobRow, stepsOf } from './job.ts'

export interface ClaimRequest {
  worker: string
  /** Seconds until the claim expires without a heartbeat. */
  leaseS: number
}

const FIRST_STEP = `CASE j.kind WHEN 'document' THEN '${stepsOf.document[0]}' ELSE '${stepsOf.image[0]}' END`

/**
 * Claims a job from a relation `next` of `id` and `fresh`: raises its fence, so that earlier
 * holders can no longer write, and starts it where it is new. A new job has no parts or calls to
 * look up.
 */
const claimStatement = (next: string): string => `
WITH ${next}
UPDATE generation_job j SET fence = j.fence + 1, leased_by = :worker, waits_for = '',
  due_at = now() + make_interval(secs => :leaseS),
  status = CASE WHEN next.fresh THEN ${FIRST_STEP} ELSE j.status END, started_at = coalesce(j.started_at, now())
FROM next, account
WHERE j.id = next.id AND account.id = j.account_id
RETURNING j.id, j.account_id, j.kind, j.request, j.status, j.progress, j.fence, j.crashes, j.attempts, next.fresh,
  extract(epoch FROM now() - j.created_at)::float8 AS age, account.notify_steps,
  (SELECT count(*)::int FROM generation_call c WHERE c.job_id = j.id AND c.outcome <> 'failed') AS calls,
  (SELECT coalesce(sum(c.cost_micros), 0)::float8 FROM generation_call c WHERE c.job_id = j.id) AS micros,
  (SELECT coalesce(json_agg(json_build_array(c.step, c.part, c.provider, c.model)), '[]') FROM generation_call c
   WHERE c.job_id = j.id AND c.outcome IN ('in_flight', 'lost')) AS unacknowledged,
  (SELECT coalesce(json_agg(json_build_array(p.step, p.name)), '[]') FROM generation_part p
   WHERE p.job_id = j.id AND p.answered_at IS NOT NULL) AS parts`

/** SQL: unclaimed and due. */
const IS_DUE = 'j.due_at <= now() AND j.leased_by IS NULL'

/** Crashes in a row after which a job runs with no other beside it. */
const CRASHES_BEFORE_SOLO = 2

/** Crashes after which a job fails: the last one ran alone. */
export const MAX_CRASHES = 3

const RUNS_SOLO = `j.crashes = ${CRASHES_BEFORE_SOLO}`

/** SQL: may run beside others. */
const RUNS_SHARED = `j.crashes <> ${CRASHES_BEFORE_SOLO}`

/**
 * Claims this job, unless it is claimed or has ended.
 *
 * @param alone whether nothing else runs; claims a job that must run alone then, and no other
 */
export async function claimOne(
  pool: Pool,
  request: ClaimRequest,
  id: string,
  alone = false,
): Promise<JobRow | null> {
  const next = `next AS (
    SELECT j.id, j.status = 'pending' AS fresh FROM generation_job j
    WHERE j.id = :id AND ${IS_DUE} AND ${alone ? RUNS_SOLO : RUNS_SHARED} FOR UPDATE SKIP LOCKED)`
  const { rows } = await pool.query<JobRow>({
    name: `claim-job-${alone}`,
    ...named(claimStatement(next), { ...request, id }),
  })
  return rows[0] ?? null
}

export async function mustRunSolo(pool: Pool, id: string): Promise<boolean> {
  const { rows } = await pool.query(
    named(`SELECT FROM generation_job j WHERE j.id = :id AND ${IS_DUE} AND ${RUNS_SOLO}`, { id }),
  )
  return rows.length > 0
}

/**
 * CTEs, without a trailing comma: `open` names the queues that jobs may be taken from: the one that
 * waits for nothing (''), and those of providers neither paused nor, in this process, full
 * (`:full`).
 */
export const OPEN_QUEUES = `
open AS (
  SELECT '' AS name
  UNION ALL SELECT name FROM generation_provider
  WHERE NOT name = ANY (:full::text[]) AND (paused_until IS NULL OR paused_until <= now())
)`

/** A lateral join to {@link OPEN_QUEUES}: so many jobs under a condition, the longest due first. */
export const dueJobsOf = (
  open: string,
  most: string,
  { which = 'true', lock = '' } = {},
): string => `LATERAL (
  SELECT j.id, j.due_at, j.status FROM generation_job j
  WHERE j.waits_for = ${open}.name AND ${IS_DUE} AND ${which} ORDER BY j.due_at LIMIT ${most} ${lock})`

interface NextRequest extends ClaimRequest {
  /** Queues from which none is taken. */
  full: readonly string[]
}

/**
 * Claims the job that has been due the longest among those that need neither wait nor run alone;
 * null when there is none. Requests of one tick share a statement.
 */
export function claimNext(
  pool: Pool,
  request: ClaimRequest,
  full: readonly string[],
): Promise<JobRow | null> {
  return batched(pool, `claim-next-job ${request.worker}`, { ...request, full }, async (all) => {
    const rows = await claimBatch(pool, all[0] as NextRequest, all.length)
    return all.map((_, index) => rows[index] ?? null)
  })
}

/** Batches are powers of two, so that few statements are planned. */
async function claimBatch(pool: Pool, request: NextRequest, wanted: number): Promise<JobRow[]> {
  const most = 2 ** Math.floor(Math.log2(wanted))
  const next = `${OPEN_QUEUES}, next AS (
    SELECT due.id, due.status = 'pending' AS fresh
    FROM open CROSS JOIN ${dueJobsOf('open', String(most), { which: RUNS_SHARED, lock: 'FOR UPDATE SKIP LOCKED' })} due
    ORDER BY due.due_at LIMIT ${most})`
  const { rows } = await pool.query<JobRow>({
    name: `claim-next-jobs-${most}`,
    ...named(claimStatement(next), { ...request }),
  })
  const left = wanted - most
  return rows.length < most || left === 0 ? rows : [...rows, ...(await claimBatch(pool, request, left))]
}
