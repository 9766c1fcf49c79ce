import { setTimeout as wait } from 'node:timers/promises'
import type { Task, TaskList } from 'graphile-worker'
import type { Pool } from 'pg'
import { named } from '../database/statement.ts'
import type { Logger } from '../log/log.ts'
import { DatabaseClock } from './database-clock.ts'
import type { Heartbeat, Timing } from './heartbeat.ts'
import type { Sweep } from './job.ts'

/** Rounds between two of what is done rarely: half a minute. */
const ROUNDS_BETWEEN_RARE_SWEEPS = 15

interface SweeperOptions {
  pool: Pool
  heartbeat: Heartbeat
  /** The jobs under way in this process. */
  running: RunningJobs
  timing: Timing
  log: Logger
  /** What the rooms put right beside the queue. */
  sweeps: readonly Sweep[]
}

/** Puts right, every two seconds, what a dead process left and what a timetable made due. */
export class Sweeper {
  readonly #stopped = new AbortController()
  readonly #clock = new DatabaseClock()
  /** What the rooms planned may be of a time to come: until it was brought to now; undefined before the first look. */
  #putBack: boolean | undefined
  readonly #loop: Promise<void>

  constructor(parts: SweeperOptions) {
    this.#loop = this.#run(parts)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#loop
  }

  async #run(parts: SweeperOptions): Promise<void> {
    const { signal } = this.#stopped
    for (let round = 0; !signal.aborted; round += 1) {
      try {
        await this.#lookAtClock(parts)
        await sweep(parts, round % ROUNDS_BETWEEN_RARE_SWEEPS === 0)
      } catch (err) {
        parts.log.warn({ err }, 'the sweep failed and is tried again')
      }
      await wait(parts.timing.sweepMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Before all else: that the clock was put back while no process ran is told by the beats of then. */
  async #lookAtClock({ pool, timing, sweeps }: SweeperOptions): Promise<void> {
    const asked = performance.now()
    const { rows } = await pool.query<{ at_ms: number; future: boolean }>(CLOCK, [timing.deadAfterS])
    const { at_ms: at = Number.NaN, future = false } = rows[0] ?? {}
    if (this.#clock.wasPutBack(at, asked)) this.#putBack = true
    this.#putBack ??= future
    if (this.#putBack) for (const { afterPutBack } of sweeps) await afterPutBack?.()
    this.#putBack = false
  }
}

const CLOCK = `
  SELECT (extract(epoch FROM now()) * 1000)::float8 AS at_ms,
    EXISTS (SELECT FROM worker_process WHERE beat_at > now() + make_interval(secs => $1)) AS future`

async function sweep(
  { pool, heartbeat, running, timing, sweeps }: SweeperOptions,
  asRarely: boolean,
): Promise<void> {
  if (asRarely) await clampQueueDueDates(pool, timing)
  // In this order: while the database was away, no process could say that it lives, this one included.
  await heartbeat.beat()
  if (heartbeat.steady) {
    await releaseDeadWorkers(pool, timing)
    for (const { afterDeaths } of sweeps) await afterDeaths?.()
    await pool.query(`DELETE FROM worker_process WHERE beat_at < now() - interval '1 hour'`)
  }
  await releaseForgottenJobs(pool, heartbeat.id, running, timing)
  if (asRarely) for (const { rarely } of sweeps) await rarely?.()
  for (const { always } of sweeps) await always?.()
}

/**
 * What stands in the future of the database has seen its clock put back. A beat or a lock of then is as if it were of now: a
 * process that lives beats again, and one that is dead does not seem alive for hours. A job waits for as long as it was to.
 */
async function clampQueueDueDates(pool: Pool, { deadAfterS }: Timing): Promise<void> {
  await pool.query(BEATS_TO_NOW, [deadAfterS])
  await pool.query(QUEUES_TO_NOW, [deadAfterS])
  await pool.query(JOBS_TO_NOW, [deadAfterS])
}

const BEATS_TO_NOW = `
  UPDATE worker_process SET beat_at = now() WHERE beat_at > now() + make_interval(secs => $1)`

const QUEUES_TO_NOW = `
  UPDATE graphile_worker._private_job_queues SET locked_at = now()
  WHERE locked_at > now() + make_interval(secs => $1)`

const JOBS_TO_NOW = `
  UPDATE graphile_worker._private_jobs SET
    run_at = CASE WHEN updated_at > now() THEN now() + greatest(run_at - updated_at, '0') ELSE run_at END,
    updated_at = least(updated_at, now()), locked_at = CASE WHEN locked_at > now() THEN now() ELSE locked_at END
  WHERE updated_at > now() + make_interval(secs => $1) OR locked_at > now() + make_interval(secs => $1)`

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

/**
 * Frees the jobs that stand as this process's own and that it knows nothing of: the database gave them out in the moment
 * it broke down, and its answer never came. As for what a dead process held, there is no public way to free one alone.
 */
async function releaseForgottenJobs(
  pool: Pool,
  workerId: string,
  running: RunningJobs,
  { deadAfterS }: Timing,
): Promise<void> {
  await pool.query(
    named(
      `WITH forgotten AS (
         UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL, run_at = greatest(run_at, now())
         WHERE locked_by = :workerId AND locked_at < now() - make_interval(secs => :deadAfterS)
           AND NOT id = ANY (:running::bigint[])
         RETURNING job_queue_id
       )
       UPDATE graphile_worker._private_job_queues q SET locked_at = NULL, locked_by = NULL
       FROM forgotten WHERE q.id = forgotten.job_queue_id AND q.locked_by = :workerId`,
      { workerId, deadAfterS, running: running.ids },
    ),
  )
}

/**
 * Frees the queues that hold no job any more. When a process that slept wakes, it completes a job that another has
 * taken over, and graphile-worker (0.17) removes the job but keeps the queue locked for the other: its site would rest
 * for four hours. There is no public way to free a queue alone.
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

  /** The same tasks, each counted while it runs. */
  counting(tasks: TaskList): TaskList {
    return Object.fromEntries(
      Object.entries(tasks).map(([name, task]) => [name, task && this.#count(task as Task)]),
    )
  }

  #count =
    (task: Task): Task =>
    async (payload, helpers) => {
      this.#ids.add(helpers.job.id)
      try {
        await task(payload, helpers)
      } finally {
        setTimeout(() => this.#ids.delete(helpers.job.id), COMPLETION_GRACE_MS).unref()
      }
    }
}
