import type { Pool } from 'pg'
import { batched, execute, inBatches, named, queryRows } from '../../database/statement.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { addJob, createTask, isReadyInQueue, type Sweep, type Task } from '../../jobs/job.ts'
import { claimedBy, LEASE_END, reclaimAbandoned } from '../../jobs/leased-work.ts'
import { expireFiles } from '../storage/file-rows.ts'
import { attemptJob, MAX_PROVIDER_WAIT_S } from './attempt.ts'
import { IS_BLOCKED_FOR_LONG, queueTrials } from './blocked-providers.ts'
import { generationJob, type JobRow, jobLeases, stepsOf } from './job.ts'
import type { JobContext } from './job-run.ts'
import type { ProviderGate } from './provider-gate.ts'

/** Jobs that a process works on at once. Most of that time they wait for providers, a few of each in line. */
const MAX_CONCURRENT_JOBS = 64

/** A worker yields at last after this time, far within what graphile-worker allows a job: four hours. */
const MAX_WORKER_RUN_MS = 10 * 60_000

/** Works on the job named, those that came with it, and what is due beside; nothing while this process has no place left. */
export function generateTask(context: () => Promise<JobContext>): Task {
  let working = 0
  const workIn = async (work: (context: JobContext) => Promise<void>) => {
    working += 1
    try {
      await work(await context())
    } finally {
      working -= 1
    }
  }
  return createTask(generationJob, async ({ jobId, beside }) => {
    const free = MAX_CONCURRENT_JOBS - working
    if (free <= 0) return
    const others = Array.from({ length: Math.min(beside, free - 1) }, () => workIn(workOnDueJobs))
    const ended = await Promise.allSettled([workIn((context) => workFromPayload(context, jobId)), ...others])
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  })
}

async function workFromPayload(context: JobContext, jobId: string): Promise<void> {
  const { pool, lock, stopping } = context
  const worked = await claimShared(context, () => claimOne(context, jobId))
  if (worked || !(await mustRunSolo(pool, jobId))) return workOnDueJobs(context)
  // However long the others take: a document takes minutes, and one that gave up would find the next ones under way each time.
  await lock.exclusive(() => workOnJob(context, () => claimOne(context, jobId, true)), stopping)
}

async function workOnDueJobs(context: JobContext): Promise<void> {
  const end = performance.now() + MAX_WORKER_RUN_MS
  let worked = true
  while (worked && !context.stopping.aborted && performance.now() < end)
    worked = await claimShared(context, () => claimNext(context))
}

/** The lock first: a process that ends while a job only waits for it must not be counted as the job's doing. */
const claimShared = (context: JobContext, claim: () => Promise<JobRow | null>): Promise<boolean> =>
  context.lock.shared(() => workOnJob(context, claim))

async function workOnJob(context: JobContext, claim: () => Promise<JobRow | null>): Promise<boolean> {
  const row = context.stopping.aborted ? null : await claim()
  if (row !== null) await attemptJob(context, row)
  return row !== null
}

/** Jobs of each line that a sweep wakes at most: each takes on the next itself when it has ended. */
const WAKE_BATCH = 16

export function generationSweep(pool: Pool, timing: Timing, gate: ProviderGate): Sweep {
  let starting = true
  return {
    afterDeaths: () => reclaimAbandoned(pool, jobLeases, { deadAfterS: timing.deadAfterS }),
    dueDates: [
      { table: 'generation_provider', column: 'paused_until' },
      { table: 'generation_provider', column: 'trouble_since', maxAheadS: 0 },
      { table: 'generation_provider', column: 'served_at', maxAheadS: 0 },
      { table: 'generation_job', column: 'due_at' },
    ],
    rarely: [() => wakeOverdueJobs(pool)],
    always: [
      () => wakeDueJobs(pool, gate),
      async () => {
        await queueTrials(pool, { starting })
        starting = false
      },
    ],
  }
}

/** Queues what is due and need not wait; the queue's job that brought one first may still be at others. */
async function wakeDueJobs(pool: Pool, gate: ProviderGate): Promise<void> {
  await pool.query({
    name: 'wake-due-jobs',
    ...named(
      `WITH ${OPEN_QUEUES}
       SELECT ${addJob(generationJob, { jobId: 'due.id' })}
       FROM open CROSS JOIN ${dueJobsOf(WAKE_BATCH)} due
       WHERE NOT ${isReadyInQueue(generationJob, { jobId: 'due.id' })}`,
      { full: gate.full() },
    ),
  })
}

/** SQL: since when trouble of its provider `p` keeps a job; before, the provider was only busy. */
const troubleKeeps = (job: string): string => `greatest(${job}.stalled_since, p.trouble_since)`

/** Jobs that have waited too long for a provider in trouble are taken once more, whatever its pause: they fail then. */
async function wakeOverdueJobs(pool: Pool): Promise<void> {
  await execute(
    pool,
    `UPDATE generation_job SET waits_for = ''
     WHERE leased_by IS NULL AND due_at IS NOT NULL AND waits_for IN (
       SELECT name FROM generation_provider p WHERE name <> '' AND trouble IS NOT NULL
         AND (${IS_BLOCKED_FOR_LONG} OR ${troubleKeeps('generation_job')} < now() - make_interval(secs => :patienceS)))`,
    { patienceS: MAX_PROVIDER_WAIT_S },
  )
}

const PURGE_BATCH = 500

/** Removes jobs that ended more than `days` ago; their files go in the same night, the ledger of credits stays. @returns how many */
export const purgeJobs = (pool: Pool, days: number): Promise<number> =>
  inBatches(PURGE_BATCH, () =>
    execute(
      pool,
      // Locked, and looked at again: one that is resumed meanwhile stays.
      `WITH old AS (
         SELECT id FROM generation_job WHERE ended_at < now() - make_interval(days => :days)
         ORDER BY ended_at LIMIT ${PURGE_BATCH} FOR UPDATE
       ), files AS (
         ${expireFiles("SELECT p.answer ->> 'file' FROM generation_part p JOIN old ON old.id = p.job_id")}
       )
       DELETE FROM generation_job j USING old WHERE j.id = old.id`,
      { days },
    ),
  )

const FIRST_STEP = `CASE j.kind WHEN 'document' THEN '${stepsOf.document[0]}' ELSE '${stepsOf.image[0]}' END`

/** Claims a job of `next`: raises its fence, so that earlier holders write no more, and starts a new one. */
const claimStatement = (next: string): string => `
WITH ${next}
UPDATE generation_job j SET ${claimedBy('j')}, waits_for = '', due_at = ${LEASE_END},
  status = CASE WHEN next.fresh THEN ${FIRST_STEP} ELSE j.status END, started_at = coalesce(j.started_at, now())
FROM next, account
WHERE j.id = next.id AND account.id = j.account_id
RETURNING j.id, j.account_id, j.kind, j.request, j.status, j.progress, j.fence, j.crashes, j.attempts, next.fresh,
  extract(epoch FROM now() - j.created_at)::float8 AS age,
  coalesce((SELECT extract(epoch FROM now() - ${troubleKeeps('j')}) FROM generation_provider p
    WHERE p.name = j.stalled_on AND p.trouble IS NOT NULL AND j.stalled_since IS NOT NULL), 0)::float8 AS stalled, j.result AS earlier, account.notify_steps,
  (SELECT count(*)::int FROM generation_call c WHERE c.job_id = j.id AND c.outcome <> 'failed') AS calls,
  (SELECT coalesce(sum(c.cost_micros), 0)::float8 FROM generation_call c WHERE c.job_id = j.id) AS micros,
  (SELECT coalesce(json_agg(json_build_array(c.step, c.part, c.provider, c.model)), '[]') FROM generation_call c
   WHERE c.job_id = j.id AND c.outcome IN ('in_flight', 'lost')) AS unacknowledged,
  (SELECT coalesce(json_agg(json_build_array(p.step, p.name)), '[]') FROM generation_part p
   WHERE p.job_id = j.id) AS parts`

const IS_DUE = 'j.due_at <= now() AND j.leased_by IS NULL'

const CRASHES_BEFORE_SOLO = 2

const RUNS_SOLO = `j.crashes = ${CRASHES_BEFORE_SOLO}`

const RUNS_SHARED = `j.crashes <> ${CRASHES_BEFORE_SOLO}`

/** Who claims, and for how long. */
const claimantOf = ({ heartbeat, timing }: JobContext) => ({ worker: heartbeat.id, leaseS: timing.leaseS })

/** Claims this job if it is free. @param alone whether nothing else runs: for a job that must run alone */
async function claimOne(context: JobContext, id: string, alone = false): Promise<JobRow | null> {
  const next = `next AS (
    SELECT j.id, j.status = 'pending' AS fresh FROM generation_job j
    WHERE j.id = :id AND ${IS_DUE} AND ${alone ? RUNS_SOLO : RUNS_SHARED} FOR UPDATE SKIP LOCKED)`
  const { rows } = await context.pool.query<JobRow>({
    name: `claim-job-${alone}`,
    ...named(claimStatement(next), { ...claimantOf(context), id }),
  })
  return rows[0] ?? null
}

async function mustRunSolo(pool: Pool, id: string): Promise<boolean> {
  const rows = await queryRows(
    pool,
    `SELECT FROM generation_job j WHERE j.id = :id AND ${IS_DUE} AND ${RUNS_SOLO}`,
    { id },
  )
  return rows.length > 0
}

/** CTE `open`: the queues to be worked on, '' and those of providers neither paused nor `:full` here. */
const OPEN_QUEUES = `
open AS (
  SELECT '' AS name
  UNION ALL SELECT name FROM generation_provider
  WHERE NOT name = ANY (:full::text[]) AND (paused_until IS NULL OR paused_until <= now())
)`

/** A lateral join to {@link OPEN_QUEUES}: so many jobs under a condition, the longest due first. */
const dueJobsOf = (most: number, { which = 'true', lock = '' } = {}): string => `LATERAL (
  SELECT j.id, j.due_at, j.status FROM generation_job j
  WHERE j.waits_for = open.name AND ${IS_DUE} AND ${which} ORDER BY j.due_at LIMIT ${most} ${lock})`

/** Claims the job due the longest that need not wait nor run alone, if any. Requests of one tick share a statement. */
function claimNext(context: JobContext): Promise<JobRow | null> {
  const { pool, heartbeat, gate } = context
  return batched(pool, `claim-next-job ${heartbeat.id}`, gate.full(), async (all) => {
    const rows = await claimBatch(context, all[0] ?? [], all.length)
    return all.map((_, index) => rows[index] ?? null)
  })
}

/** Batches are powers of two, so that few statements are planned. */
async function claimBatch(context: JobContext, full: readonly string[], wanted: number): Promise<JobRow[]> {
  const most = 2 ** Math.floor(Math.log2(wanted))
  const next = `${OPEN_QUEUES}, next AS (
    SELECT due.id, due.status = 'pending' AS fresh
    FROM open CROSS JOIN ${dueJobsOf(most, { which: RUNS_SHARED, lock: 'FOR UPDATE SKIP LOCKED' })} due
    ORDER BY due.due_at LIMIT ${most})`
  const { rows } = await context.pool.query<JobRow>({
    name: `claim-next-jobs-${most}`,
    ...named(claimStatement(next), { ...claimantOf(context), full }),
  })
  const left = wanted - most
  return rows.length < most || left === 0 ? rows : [...rows, ...(await claimBatch(context, full, left))]
}
