import type { Database } from '../database/client.ts'
import { createRetentionTask, createTask, type WorkFactory } from '../jobs/job.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { SiteId } from '../sites/connection.ts'
import { loadSite } from '../sites/health/load-site.ts'
import { followJob, followPosts } from './follow/follow.ts'
import { orphansJob, publicCheckJob, resumeSourceJob } from './jobs.ts'
import { resumeSource } from './ledger/resume.ts'
import { reconcileOrphans } from './maintenance/orphans.ts'
import { purge } from './maintenance/retention.ts'
import { checkPublicPosts } from './public-check/check-posts.ts'
import type { SiteWorkerContext } from './site-worker/attempt.ts'
import { deliverySweep } from './site-worker/sweep.ts'
import { siteTasks } from './site-worker/tasks.ts'

type DeliveryDependencies = Omit<SiteWorkerContext, 'pool' | 'heartbeat' | 'lock' | 'stopping'> & {
  database: Database
  keyring: Keyring
  /** Days that bodies and timelines are kept; 0 for ever. */
  retentionDays: number
}

/** What deliveries need done: their sites' workers, what is looked for afterwards, and what is removed when it is old. */
export const deliveryWork =
  (needs: DeliveryDependencies): WorkFactory =>
  (process) => {
    const {
      database: { pool },
      log,
      timing,
    } = needs
    const load = (site: SiteId) => loadSite({ ...needs, pool }, site)
    const siteOf = async (site: SiteId) => {
      const found = await load(site)
      if (found?.readiness === 'resting' || found?.readiness === 'needs_owner') return 'rests'
      return found?.open() ?? null
    }
    return {
      tasks: [
        ...siteTasks({ ...needs, pool, load }, process),
        createTask(publicCheckJob, ({ accountId, siteId: id }) =>
          checkPublicPosts({ ...needs, pool, siteOf, stopping: process.stopping }, { accountId, id }),
        ),
        createTask(orphansJob, (told) => reconcileOrphans({ pool, log, timing, siteOf }, told)),
        createTask(resumeSourceJob, (source) => resumeSource(pool, source)),
        createTask(followJob, (asked) => followPosts({ pool, log, load }, asked)),
        createRetentionTask('retention', '17 3 * * *', needs, (days) => purge(pool, days)),
      ],
      sweep: deliverySweep(pool, timing, log),
    }
  }
