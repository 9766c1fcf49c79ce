import type { Pool } from 'pg'
import { enqueue } from '../../jobs/job.ts'
import type { SiteId } from '../../sites/site-id.ts'
import { siteWorkerJob } from '../jobs.ts'

/**
 * Queues a site's worker behind those of the other sites. One that waits already keeps its place in the line;
 * one that is running comes round once more.
 */
export const queueSiteWorker = (pool: Pool, { accountId, id: siteId }: SiteId): Promise<void> =>
  enqueue(pool, siteWorkerJob, { accountId, siteId })
