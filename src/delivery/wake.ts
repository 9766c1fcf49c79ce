import type { Pool } from 'pg'

/**
 * Queues a site's pump behind those of the other sites. One that waits already keeps its place in the line;
 * one that is running comes round once more.
 */
export async function queuePump(pool: Pool, siteId: string): Promise<void> {
  await pool.query(
    `SELECT graphile_worker.add_job('pump', json_build_object('siteId', $1::uuid), queue_name => $1::text,
       job_key => 'pump:' || $1, job_key_mode => 'preserve_run_at')`,
    [siteId],
  )
}

/** Whether another kind of job of this site is due and waits behind its pump: they share a queue. */
export async function hasOtherJobs(pool: Pool, siteId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM graphile_worker.jobs
     WHERE queue_name = $1 AND task_identifier <> 'pump' AND locked_at IS NULL AND run_at <= now()
       AND attempts < max_attempts LIMIT 1`,
    [siteId],
  )
  return rowCount !== null && rowCount > 0
}
