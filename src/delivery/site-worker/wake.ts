import type { Pool } from 'pg'
import { addPump } from '../../jobs/site-queue.ts'
import type { SiteId } from '../../sites/registry.ts'

/**
 * Queues a site's pump behind those of the other sites. One that waits already keeps its place in the line;
 * one that is running comes round once more.
 */
export async function queuePump(pool: Pool, { accountId, id }: SiteId): Promise<void> {
  await pool.query(`SELECT ${addPump('$1::uuid', '$2::uuid')}`, [accountId, id])
}
