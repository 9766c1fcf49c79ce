import type { Pool } from 'pg'
import type { Timing } from '../../jobs/heartbeat.ts'
import {
  addJob,
  enqueueMany,
  IS_ACCOUNT_ENABLED,
  isQueuedOrRunning,
  isReadyInQueue,
  type Sweep,
} from '../../jobs/job.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import type { Logger } from '../../log/log.ts'
import { checkSiteJob } from '../../sites/health/check-site.ts'
import { problemSinceSql, reportsProblem } from '../../sites/health/report.ts'
import { isDueSite, MAX_ATTENTION_AFTER_MS } from '../../sites/health/state.ts'
import { followHourly } from '../follow/follow.ts'
import { siteWorkerJob, soloJob } from '../jobs.ts'
import { nameCanonicals } from '../ledger/canonical.ts'
import { CRASHES_BEFORE_SOLO, isWorkedOn, reclaimDeliveries } from '../ledger/claim.ts'
import { reportOutages } from '../maintenance/outage-causes.ts'
import { forgetReplaced } from '../maintenance/retention.ts'
import { holdForUnknownSites, queueForKnownSites } from '../maintenance/unknown-site.ts'
import { queuePublicChecks } from '../public-check/check-posts.ts'

/** Looks for due sites take at most a tenth of the time: with 100,000 of them, one takes seconds. */
const REST_FACTOR = 9

/** What the sweep puts right of deliveries. */
export const deliverySweep = (pool: Pool, timing: Timing, log: Logger): Sweep => {
  let restUntil = 0
  return {
    afterDeaths: () => reclaimDeliveries(pool, timing),
    dueDates: [
      { table: 'site', column: 'paused_until' },
      { table: 'delivery', column: 'due_at' },
      // Compared with others: what a site did while the clock was ahead would count as its latest until then.
      { table: 'site', column: 'last_success_at', maxAheadS: 0 },
      { table: 'site', column: 'trouble_since', maxAheadS: 0 },
      { table: 'site', column: 'followed_at', maxAheadS: 0 },
      { table: 'site', column: 'attention_at', maxAheadS: MAX_ATTENTION_AFTER_MS / 1_000 + 60 },
    ],
    rarely: [
      // Those whose site was connected or removed beside them.
      () => holdForUnknownSites(pool, log),
      () => queueForKnownSites(pool),
      () => reportOutages(pool),
      () => checkProblemsAgain(pool),
      () => queuePublicChecks(pool),
      () => followHourly(pool),
      () => forgetReplaced(pool),
    ],
    always: [
      async () => {
        const began = monotonicNow()
        if (began < restUntil) return
        await queueDueSites(pool)
        const ended = monotonicNow()
        restUntil = ended + REST_FACTOR * (ended - began)
      },
      () => queueSolo(pool),
      () => nameCanonicals(pool),
    ],
  }
}

/** What is due in an account that is disabled waits until it is enabled. */
const ENABLED = IS_ACCOUNT_ENABLED('site.account_id')

const siteColumns = { accountId: 'site.account_id', siteId: 'site.id' }

/**
 * Queues the site worker of every site that has something due, does not rest and is not worked on. A site in trouble is asked also
 * where nothing is due, so that nobody is shown an outage that is over.
 */
export async function queueDueSites(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ accountId: string; siteId: string }>(
    `WITH due AS MATERIALIZED (
       SELECT DISTINCT account_id, site_id FROM delivery
       WHERE status = 'queued' AND due_at <= now() AND cardinality(crashed) < ${CRASHES_BEFORE_SOLO}
     )
     SELECT site.account_id AS "accountId", site.id AS "siteId"
     FROM site LEFT JOIN due ON due.account_id = site.account_id AND due.site_id = site.id
     WHERE (due.site_id IS NOT NULL OR site.paused_until IS NOT NULL) AND ${isDueSite('site')}
       AND ${ENABLED} AND NOT ${isReadyInQueue(siteWorkerJob, siteColumns)} AND NOT ${isWorkedOn(siteColumns)}
     ORDER BY site.account_id, site.id`,
  )
  await enqueueMany(pool, siteWorkerJob, rows)
}

/** Checks sites again that nothing gets through to: a quarter of an hour after that was found, then at double its age, at least daily. */
export async function checkProblemsAgain(pool: Pool): Promise<void> {
  await pool.query(
    `SELECT ${addJob(checkSiteJob, siteColumns)} FROM site
     WHERE report_at < now() - interval '15 minutes' AND trouble IS NULL AND stopped_at IS NULL AND ${reportsProblem('site')}
       AND report_at < now() - least(report_at - ${problemSinceSql('site')}, interval '1 day') AND ${ENABLED}`,
  )
}

/** Queues what is to be done alone, one by one in the installation; a job whose process died over it is added anew. */
async function queueSolo(pool: Pool): Promise<void> {
  await pool.query(
    `SELECT ${addJob(soloJob, siteColumns)}
     FROM (
       SELECT DISTINCT account_id, site_id FROM delivery
       WHERE status = 'queued' AND due_at <= now() AND cardinality(crashed) >= ${CRASHES_BEFORE_SOLO}
     ) d
     JOIN site ON site.account_id = d.account_id AND site.id = d.site_id
     WHERE ${isDueSite('site')}
       AND ${ENABLED} AND NOT ${isQueuedOrRunning(soloJob, siteColumns)}
     ORDER BY site.account_id, site.id`,
  )
}
