import { setTimeout as wait } from 'node:timers/promises'
import type { Task } from 'graphile-worker'
import type { Pool } from 'pg'
import { execute } from '../database/statement.ts'
import type { Logger } from '../log/log.ts'
import type { Heartbeat, Timing } from './heartbeat.ts'
import type { Sweep, SweepStep } from './job.ts'

const ROUNDS_BETWEEN_RARE_SWEEPS = 15

interface SweeperOptions {
  pool: Pool
  heartbeat: Heartbeat
  running: RunningJobs
  timing: Timing
  log: Logger
  sweeps: readonly Sweep[]
}

/** Puts right, every two seconds, what a dead process left and what a timetable made due. @returns ends it */
export function startSweeper(parts: SweeperOptions): () => Promise<void> {
  const stopped = new AbortController()
  const swept = sweepUntil(stopped.signal, parts)
  return async () => {
    stopped.abort()
    await swept
  }
}

async function sweepUntil(stopped: AbortSignal, parts: SweeperOptions): Promise<void> {
  for (let round = 0; !stopped.aborted; round += 1) {
    try {
      await sweep(parts, round % ROUNDS_BETWEEN_RARE_SWEEPS === 0)
    } catch (err) {
      parts.log.warn({ err }, 'the sweep failed and is tried again')
    }
    await wait(parts.timing.sweepMs, undefined, { signal: stopped }).catch(() => undefined)
  }
}

async function sweep({ pool, heartbeat, running, timing, log, sweeps }: SweeperOptions, asRarely: boolean) {
  /** A step that fails keeps no other from its turn, unless the database is away. */
  const attempt = async (step: SweepStep) => {
    try {
      await step()
    } catch (err) {
      log.warn({ err }, 'a part of the sweep failed and is tried again')
      await heartbeat.beat()
    }
  }
  const dueDates = sweeps.flatMap(({ dueDates = [] }) => dueDates)
  if (asRarely) await attempt(() => clampDueDates(pool, dueDates))
  // In this order: while the database was away, no process could say that it lives, this one included.
  await heartbeat.beat()
  const ofTheDead: SweepStep[] = [
    () => releaseDeadWorkers(pool, timing),
    ...sweeps.flatMap(({ afterDeaths = [] }) => afterDeaths),
    () => pool.query(`DELETE FROM worker_process WHERE beat_at < now() - interval '1 hour'`),
  ]
  // Asked before each: one that waited for the database in vain has made every beat old.
  for (const step of ofTheDead) if (heartbeat.steady) await attempt(step)
  const others: SweepStep[] = [
    () => releaseForgottenJobs(pool, heartbeat.id, running, timing),
    ...sweeps.flatMap(({ rarely = [] }) => (asRarely ? rarely : [])),
    ...sweeps.flatMap(({ always = [] }) => always),
  ]
  for (const step of others) await attempt(step)
}

/** Releases job locks of processes whose heartbeat stopped; graphile-worker alone would keep them for four hours. */
async function releaseDeadWorkers(pool: Pool, { deadAfterS }: Timing): Promise<void> {
  await pool.query(
    `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by))
     FROM graphile_worker.jobs
     WHERE locked_at < now() - make_interval(secs => $1) AND locked_by NOT IN (
       SELECT id FROM worker_process WHERE beat_at > now() - make_interval(secs => $1))
     HAVING count(*) > 0`,
    [deadAfterS],
  )
  await pool.query(RELEASE_IDLE_QUEUES, [deadAfterS])
}

/** Frees jobs that stand as this process's own but never reached it: the database broke down as it gave them out. */
async function releaseForgottenJobs(
  pool: Pool,
  workerId: string,
  running: RunningJobs,
  { deadAfterS }: Timing,
): Promise<void> {
  await execute(
    pool,
    `WITH forgotten AS (
       UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL, run_at = greatest(run_at, now())
       WHERE locked_by = :workerId AND locked_at < now() - make_interval(secs => :deadAfterS)
         AND NOT id = ANY (:running::bigint[])
       RETURNING job_queue_id
     )
     UPDATE graphile_worker._private_job_queues q SET locked_at = NULL, locked_by = NULL
     FROM forgotten WHERE q.id = forgotten.job_queue_id AND q.locked_by = :workerId`,
    { workerId, deadAfterS, running: running.ids },
  )
}

/**
 * Frees the queues that hold no job any more: where a process completes a job that another has taken over, graphile-worker
 * (0.17) keeps the queue locked for four hours. There is no public way to free a queue alone.
 */
const RELEASE_IDLE_QUEUES = `
  UPDATE graphile_worker._private_job_queues q SET locked_at = NULL, locked_by = NULL
  WHERE q.locked_at < now() - make_interval(secs => $1)
    AND NOT EXISTS (
      SELECT 1 FROM graphile_worker._private_jobs j WHERE j.job_queue_id = q.id AND j.locked_at IS NOT NULL)`

/** Milliseconds in which graphile-worker writes down that a job has ended; until then it still counts as running. */
const COMPLETION_GRACE_MS = 5_000

/** The jobs that this process works on, by the id under which graphile-worker keeps them. */
export class RunningJobs {
  readonly #ids = new Set<string>()

  get ids(): string[] {
    return [...this.#ids]
  }

  counting(run: (payload: unknown) => Promise<void>): Task {
    return async (payload, { job }) => {
      this.#ids.add(job.id)
      try {
        await run(payload)
      } finally {
        setTimeout(() => this.#ids.delete(job.id), COMPLETION_GRACE_MS).unref()
      }
    }
  }
}

/** Seconds for which a retry, a pause or a lease may last: an hour, which `Retry-After` may ask for, and some to store it in. */
const MAX_AHEAD_S = 3_660

export interface DueDate {
  table: string
  column: string
  /** Seconds that it may lie ahead; an hour where left out. */
  maxAheadS?: number
}

const QUEUE_DATES: readonly DueDate[] = [
  { table: 'worker_process', column: 'beat_at', maxAheadS: 0 },
  { table: 'graphile_worker._private_job_queues', column: 'locked_at', maxAheadS: 0 },
  { table: 'graphile_worker._private_jobs', column: 'locked_at', maxAheadS: 0 },
]

/** The queue knows when a job was planned. Jobs wait for up to a day, so that `run_at` alone says too little. */
const PLANNED_LATER = `
  UPDATE graphile_worker._private_jobs
  SET run_at = now() + greatest(run_at - updated_at, '0'), updated_at = now() WHERE updated_at > now()`

/** Makes due now what lies further ahead than any pause: the database's clock was put back. */
export async function clampDueDates(pool: Pool, dueDates: readonly DueDate[]): Promise<void> {
  for (const { table, column, maxAheadS = MAX_AHEAD_S } of [...QUEUE_DATES, ...dueDates])
    await pool.query(
      `UPDATE ${table} SET ${column} = now() WHERE ${column} > now() + make_interval(secs => $1)`,
      [maxAheadS],
    )
  await pool.query(PLANNED_LATER)
}
