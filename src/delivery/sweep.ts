import type { Pool } from 'pg'
import type { Logger } from '../log.ts'
import { DEAD_AFTER_S } from './heartbeat.ts'

const SWEEP_MS = 2_000

/** Puts right, every two seconds, what a dead process left and what a timetable made due. */
export class Sweeper {
  readonly #stopped = new AbortController()
  readonly #loop: Promise<void>

  constructor(pool: Pool, log: Logger) {
    this.#loop = this.#run(pool, log)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#loop
  }

  async #run(pool: Pool, log: Logger): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      try {
        await freeDeadWorkers(pool)
        await queueDueSites(pool)
      } catch (err) {
        log.warn({ err }, 'the sweep failed and is tried again')
      }
      await pause(SWEEP_MS, signal)
    }
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * Releases job locks and leases of processes whose heartbeat stopped. graphile-worker alone would keep them
 * for four hours. A process that only slept is fenced off when it wakes.
 */
export async function freeDeadWorkers(pool: Pool): Promise<void> {
  const alive = `SELECT id FROM worker_process WHERE beat_at > now() - interval '${DEAD_AFTER_S} seconds'`
  await pool.query(
    `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by))
     FROM graphile_worker.jobs
     WHERE locked_at < now() - interval '${DEAD_AFTER_S} seconds' AND locked_by NOT IN (${alive})
     HAVING count(*) > 0`,
  )
  await pool.query(
    `UPDATE delivery SET due_at = now()
     WHERE due_at > now() AND status = 'delivering' AND leased_by NOT IN (${alive})`,
  )
  await pool.query(`DELETE FROM worker_process WHERE beat_at < now() - interval '1 hour'`)
}

/**
 * Queues the pump of every site that has something due and is not in trouble: retries whose time has come,
 * sites whose pause is over, and whatever lost its job.
 */
export async function queueDueSites(pool: Pool): Promise<void> {
  await pool.query(
    `SELECT graphile_worker.add_job('pump', json_build_object('siteId', site.id), queue_name => site.id::text,
       job_key => 'pump:' || site.id, job_key_mode => 'preserve_run_at')
     FROM site
     WHERE (site.trouble IS NULL OR site.paused_until <= now())
       AND EXISTS (SELECT 1 FROM delivery WHERE delivery.site_id = site.id AND delivery.due_at <= now())
       AND NOT EXISTS (
         SELECT 1 FROM graphile_worker.jobs
         WHERE jobs.key = 'pump:' || site.id AND jobs.locked_at IS NULL AND jobs.attempts < jobs.max_attempts
           AND jobs.run_at <= now())
     ORDER BY site.id`,
  )
}
