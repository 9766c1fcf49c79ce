import type { Pool } from 'pg'
import { task, type Worker } from '../../jobs/task.ts'
import type { Logger } from '../../log.ts'
import type { SiteRegistry } from '../registry.ts'
import type { SiteId } from '../site-id.ts'
import { runCheck } from './checks.ts'
import { checkAfterFailure } from './doctor.ts'
import { checkAfterFailureJob, checkJob } from './jobs.ts'

export interface HealthNeeds extends SiteRegistry {
  pool: Pool
  log: Logger
  /** Starts again what waits for a site that works. */
  resume: (site: SiteId) => Promise<unknown>
}

/** What the health of sites needs done: the doctor's runs. */
export const healthWork =
  (needs: HealthNeeds): Worker =>
  ({ stopping }) => ({
    tasks: [
      task(checkAfterFailureJob, ({ accountId, siteId: id }) => checkAfterFailure(needs, { accountId, id })),
      task(checkJob, ({ checkId }) => runCheck(needs, checkId, stopping)),
    ],
  })
