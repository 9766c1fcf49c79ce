import type { ByteBudget } from '../bytes/index.ts'
import type { Database } from '../database/index.ts'
import type { Timing } from '../jobs/heartbeat.ts'
import { createTask, type WorkFactory } from '../jobs/job.ts'
import { pluralize } from '../lib/text.ts'
import type { Logger } from '../log/log.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import type { SiteId } from '../sites/connection.ts'
import { loadSite } from '../sites/health/load-site.ts'
import type { UpstreamClient } from '../upstream/ask.ts'
import type { FindStoredFile } from '../wordpress/media/index.ts'
import { orphansJob, retentionJob } from './jobs.ts'
import { reconcileOrphans } from './maintenance/orphans.ts'
import { purge } from './maintenance/retention.ts'
import { deliverySweep } from './site-worker/sweep.ts'
import { siteTasks } from './site-worker/tasks.ts'

interface DeliveryDependencies {
  database: Database
  outbound: Outbound
  /** The files that Galley itself keeps: their addresses may lead to this machine, where no request is let through. */
  findStored: FindStoredFile
  upstreams: UpstreamClient
  budget: ByteBudget
  keyring: Keyring
  log: Logger
  timing: Timing
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
      retentionDays,
    } = needs
    const load = (site: SiteId) => loadSite({ ...needs, pool }, site)
    const siteOf = async (site: SiteId) => {
      const found = await load(site)
      if (found?.state.resting || found?.state.waitsForOwner) return 'rests'
      return found?.open() ?? null
    }
    return {
      tasks: [
        ...siteTasks({ ...needs, pool, load }, process),
        createTask(orphansJob, (told) => reconcileOrphans({ pool, log, timing, siteOf }, told)),
        createTask(
          retentionJob,
          async () => {
            if (retentionDays === 0) return
            const purged = await purge(pool, retentionDays)
            log.info(purged, `purged what is older than ${pluralize(retentionDays, 'day')}`)
          },
          '17 3 * * *',
        ),
      ],
      sweep: deliverySweep(pool, timing, log),
    }
  }
