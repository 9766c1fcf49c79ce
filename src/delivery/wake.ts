import type { Pool } from 'pg'
import { addPump, siteQueue } from '../jobs/site-queue.ts'
import type { SiteId } from '../sites/registry.ts'

/**
 * Queues a site's pump behind those of the other sites. One that waits already keeps its place in the line;
 * one that is running comes round once more.
 */
export async function queuePump(pool: Pool, { accountId, id }: SiteId): Promise<void> {
  await pool.query(`SELECT ${addPump('$1::uuid', '$2::uuid')}`, [accountId, id])
}

/** Whether another kind of job of this site is due and waits behind its pump: they share a queue. */
export async function hasOtherJobs(pool: Pool, { accountId, id }: SiteId): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM graphile_worker.jobs
     WHERE queue_name = ${siteQueue('$1::uuid', '$2::uuid')} AND task_identifier <> 'pump' AND locked_at IS NULL AND run_at <= now()
       AND attempts < max_attempts LIMIT 1`,
    [accountId, id],
  )
  return rowCount !== null && rowCount > 0
}
