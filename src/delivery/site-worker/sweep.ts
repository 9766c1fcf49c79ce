import type { Pool } from 'pg'
import type { Timing } from '../../jobs/heartbeat.ts'
import { addJob, isQueuedOrRunning, isReadyInQueue, type Sweep } from '../../jobs/job.ts'
import { IS_ACCOUNT_ENABLED } from '../../jobs/unfinished-jobs.ts'
import type { Logger } from '../../log/log.ts'
import { sitePausesToNow } from '../../sites/health/put-back.ts'
import { siteWorkerJob, soloJob } from '../jobs.ts'
import { CRASHES_BEFORE_SOLO, reclaimAbandoned } from '../ledger/claim.ts'
import { deliveriesToNow } from '../ledger/put-back.ts'
import { holdForUnknownSites, queueForKnownSites } from '../maintenance/unknown-site.ts'

/** What the sweep puts right of deliveries. */
export const deliverySweep = (pool: Pool, timing: Timing, log: Logger): Sweep => ({
  afterDeaths: () => reclaimAbandoned(pool, timing),
  async afterPutBack() {
    await sitePausesToNow(pool, timing)
    await deliveriesToNow(pool, timing)
  },
  // Those whose site was connected or removed beside them.
  async rarely() {
    await holdForUnknownSites(pool, log)
    await queueForKnownSites(pool)
  },
  async always() {
    await queueDueSites(pool)
    await queueSolo(pool)
  },
})

/** What is due in an account that is disabled waits until it is enabled. */
const ENABLED = IS_ACCOUNT_ENABLED('site.account_id')

const siteColumns = { accountId: 'site.account_id', siteId: 'site.id' }

/**
 * Queues the site worker of every site that has something due and does not rest: retries whose time has come, sites whose
 * pause is over, what came just when a site was stopped for its owner, and whatever lost its job.
 */
export async function queueDueSites(pool: Pool): Promise<void> {
  await pool.query(
    `SELECT ${addJob(siteWorkerJob, siteColumns)}
     FROM site
     WHERE site.stopped_at IS NULL AND (site.paused_until IS NULL OR site.paused_until <= now())
       AND EXISTS (
         SELECT 1 FROM delivery
         WHERE delivery.site_id = site.id AND delivery.account_id = site.account_id AND delivery.due_at <= now()
           AND delivery.status = 'queued' AND cardinality(delivery.crashed) < ${CRASHES_BEFORE_SOLO})
       AND ${ENABLED} AND NOT ${isReadyInQueue(siteWorkerJob, siteColumns)}
     ORDER BY site.account_id, site.id`,
  )
}

/**
 * Queues what is to be done alone, one after the other in the whole installation. A job whose process died over it has
 * had its one attempt, and is added anew.
 */
async function queueSolo(pool: Pool): Promise<void> {
  await pool.query(
    `SELECT ${addJob(soloJob, siteColumns)}
     FROM (
       SELECT DISTINCT account_id, site_id FROM delivery
       WHERE status = 'queued' AND due_at <= now() AND cardinality(crashed) >= ${CRASHES_BEFORE_SOLO}
     ) d
     JOIN site ON site.account_id = d.account_id AND site.id = d.site_id
     WHERE site.stopped_at IS NULL AND (site.paused_until IS NULL OR site.paused_until <= now())
       AND ${ENABLED} AND NOT ${isQueuedOrRunning(soloJob, siteColumns)}
     ORDER BY site.account_id, site.id`,
  )
}
