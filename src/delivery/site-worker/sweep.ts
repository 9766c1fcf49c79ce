import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Heartbeat } from '../../jobs/heartbeat.ts'
import type { RunningJobs } from '../../jobs/running-jobs.ts'
import { addPump, pumpKey } from '../../jobs/site-queue.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { Logger } from '../../log.ts'
import { CRASHES_BEFORE_ALONE, takeOver } from '../ledger/take-over.ts'
import { holdForUnknownSites, queueForKnownSites } from '../maintenance/unknown-site.ts'

/** Rounds between two looks for deliveries whose site was connected or removed beside them: half a minute. */
const RARELY = 15

interface SweptBy {
  pool: Pool
  heartbeat: Heartbeat
  /** The jobs under way in this process. */
  running: RunningJobs
  timing: Timing
  log: Logger
}

/** Puts right, every two seconds, what a dead process left and what a timetable made due. */
export class Sweeper {
  readonly #stopped = new AbortController()
  readonly #loop: Promise<void>

  constructor(parts: SweptBy) {
    this.#loop = this.#run(parts)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#loop
  }

  async #run({ pool, heartbeat, running, timing, log }: SweptBy): Promise<void> {
    const { signal } = this.#stopped
    for (let round = 0; !signal.aborted; round += 1) {
      try {
        // In this order: while the database was away, no process could say that it lives, this one included.
        await heartbeat.beat()
        if (heartbeat.steady) await freeDeadWorkers(pool, timing)
        await freeForgottenJobs(pool, heartbeat.id, running, timing)
        if (round % RARELY === 0) {
          await holdForUnknownSites(pool)
          await queueForKnownSites(pool)
        }
        await queueDueSites(pool)
        await queueAlone(pool)
      } catch (err) {
        log.warn({ err }, 'the sweep failed and is tried again')
      }
      await wait(timing.sweepMs, undefined, { signal }).catch(() => undefined)
    }
  }
}

/**
 * Releases job locks of processes whose heartbeat stopped, and queues their deliveries again. graphile-worker alone would
 * keep the locks for four hours.
 */
async function freeDeadWorkers(pool: Pool, timing: Timing): Promise<void> {
  const { deadAfterS } = timing
  await pool.query(
    `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by))
     FROM graphile_worker.jobs
     WHERE locked_at < now() - make_interval(secs => $1) AND locked_by NOT IN (
       SELECT id FROM worker_process WHERE beat_at > now() - make_interval(secs => $1))
     HAVING count(*) > 0`,
    [deadAfterS],
  )
  await pool.query(FREE_QUEUES, [deadAfterS])
  await takeOver(pool, timing)
  await pool.query(`DELETE FROM worker_process WHERE beat_at < now() - interval '1 hour'`)
}

/**
 * Frees the jobs that stand as this process's own and that it knows nothing of: the database gave them out in the moment
 * it broke down, and its answer never came. As for what a dead process held, there is no public way to free one alone.
 */
async function freeForgottenJobs(
  pool: Pool,
  workerId: string,
  running: RunningJobs,
  { deadAfterS }: Timing,
): Promise<void> {
  await pool.query(
    `WITH forgotten AS (
       UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL, run_at = greatest(run_at, now())
       WHERE locked_by = $1 AND locked_at < now() - make_interval(secs => $2) AND NOT id = ANY ($3::bigint[])
       RETURNING job_queue_id
     )
     UPDATE graphile_worker._private_job_queues q SET locked_at = NULL, locked_by = NULL
     FROM forgotten WHERE q.id = forgotten.job_queue_id AND q.locked_by = $1`,
    [workerId, deadAfterS, running.ids],
  )
}

/**
 * Frees the queues that hold no job any more. When a process that slept wakes, it completes a job that another has
 * taken over, and graphile-worker (0.17) removes the job but keeps the queue locked for the other: its site would rest
 * for four hours. There is no public way to free a queue alone.
 */
const FREE_QUEUES = `
  UPDATE graphile_worker._private_job_queues q SET locked_at = NULL, locked_by = NULL
  WHERE q.locked_at < now() - make_interval(secs => $1)
    AND NOT EXISTS (
      SELECT 1 FROM graphile_worker._private_jobs j WHERE j.job_queue_id = q.id AND j.locked_at IS NOT NULL)`

/**
 * Queues the pump of every site that has something due and does not rest: retries whose time has come, sites whose
 * pause is over, what came just when a site was stopped for its owner, and whatever lost its job.
 */
export async function queueDueSites(pool: Pool): Promise<void> {
  await pool.query(
    `SELECT ${addPump('site.account_id', 'site.id')}
     FROM site
     WHERE (site.paused_until IS NULL OR site.paused_until <= now())
       AND EXISTS (
         SELECT 1 FROM delivery
         WHERE delivery.site_id = site.id AND delivery.account_id = site.account_id AND delivery.due_at <= now()
           AND delivery.status = 'queued' AND cardinality(delivery.crashed) < ${CRASHES_BEFORE_ALONE})
       AND NOT EXISTS (
         SELECT 1 FROM graphile_worker.jobs
         WHERE jobs.key = ${pumpKey('site.account_id', 'site.id')} AND jobs.locked_at IS NULL AND jobs.attempts < jobs.max_attempts
           AND jobs.run_at <= now())
     ORDER BY site.account_id, site.id`,
  )
}

/**
 * Queues what is to be done alone, one after the other in the whole installation. A job whose process died over it has
 * had its one attempt, and is added anew.
 */
async function queueAlone(pool: Pool): Promise<void> {
  await pool.query(
    `SELECT graphile_worker.add_job('alone', json_build_object('accountId', d.account_id, 'siteId', d.site_id),
       queue_name => 'alone', max_attempts => 1, job_key => ${aloneKey}, job_key_mode => 'preserve_run_at')
     FROM (
       SELECT DISTINCT account_id, site_id FROM delivery
       WHERE status = 'queued' AND due_at <= now() AND cardinality(crashed) >= ${CRASHES_BEFORE_ALONE}
     ) d
     JOIN site ON site.account_id = d.account_id AND site.id = d.site_id
     WHERE (site.paused_until IS NULL OR site.paused_until <= now())
       AND NOT EXISTS (
         SELECT 1 FROM graphile_worker.jobs
         WHERE jobs.key = ${aloneKey} AND (jobs.locked_at IS NOT NULL OR jobs.attempts < jobs.max_attempts))
     ORDER BY d.account_id, d.site_id`,
  )
}

const aloneKey = "('alone:' || d.account_id || ':' || d.site_id)"
