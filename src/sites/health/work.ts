import type { Pool } from 'pg'
import { task, type Worker } from '../../jobs/task.ts'
import { planUnfinished } from '../../jobs/under-way.ts'
import type { Logger } from '../../log.ts'
import type { SiteRegistry } from '../registry.ts'
import type { SiteId } from '../site-id.ts'
import { CHECKS, runCheck } from './checks.ts'
import { checkAfterFailure } from './doctor.ts'
import { forgetChecks } from './forget.ts'
import { checkAfterFailureJob, checkJob, forgetChecksJob } from './jobs.ts'

export interface HealthNeeds extends SiteRegistry {
  pool: Pool
  log: Logger
  /** Starts again what waits for a site that works. */
  resume: (site: SiteId) => Promise<unknown>
  /** Days that checks of many sites are kept; 0 for ever. */
  retentionDays: number
}

/** What the health of sites needs done: the doctor's runs, and that old ones are removed. */
export const healthWork =
  (needs: HealthNeeds): Worker =>
  ({ stopping }) => ({
    tasks: [
      task(checkAfterFailureJob, ({ accountId, siteId: id }) => checkAfterFailure(needs, { accountId, id })),
      task(checkJob, ({ checkId }) => runCheck(needs, checkId, stopping)),
      task(
        forgetChecksJob,
        async () => {
          if (needs.retentionDays > 0) await forgetChecks(needs.pool, needs.retentionDays)
        },
        '46 3 * * *',
      ),
    ],
    sweep: {
      rarely: () =>
        planUnfinished(needs.pool, CHECKS, checkJob, { checkId: 't.id', accountId: 't.account_id' }),
    },
  })
