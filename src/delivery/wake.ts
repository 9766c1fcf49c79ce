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
