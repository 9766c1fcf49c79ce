import type { ByteBudget } from '../bytes/index.ts'
import type { Database } from '../database/index.ts'
import { SharedExclusiveLock } from '../jobs/shared-exclusive-lock.ts'
import { task, type Worker } from '../jobs/task.ts'
import type { Timing } from '../jobs/timing.ts'
import type { Logger } from '../log.ts'
import type { Outbound } from '../outbound/index.ts'
import { counted } from '../text.ts'
import type { BudgetOfJob, Deliver, JobContext, Steps } from './jobs/context.ts'
import { Gate } from './jobs/gate.ts'
import { jobRetention, purgeJobs } from './jobs/retention.ts'
import { generationSweep } from './jobs/sweep.ts'
import { generateTask } from './jobs/worker.ts'
import type { StepNeeds } from './pipeline/types.ts'
import type { Providers } from './providers/types.ts'
import type { Storage } from './storage/types.ts'

export interface GenerationNeeds {
  database: Database
  outbound: Outbound
  budget: ByteBudget
  log: Logger
  timing: Timing
  /** Days that jobs are kept once they have ended; 0 for ever. */
  retentionDays: number
  providers: Providers
  storage: Storage
  /** Intake's own way in, for finished documents. */
  deliver: Deliver
  budgetOfJob: BudgetOfJob
  /** What makes the jobs. */
  steps: (needs: StepNeeds) => Steps
}

/** What jobs of the generation service need done: that they are made, and removed when they are old. */
export const generationWork =
  (needs: GenerationNeeds): Worker =>
  ({ heartbeat, stopping }) => {
    const {
      database: { pool },
      log,
      timing,
      retentionDays,
      steps,
    } = needs
    const gate = new Gate()
    const lock = new SharedExclusiveLock()
    const { providers, storage, outbound, budget, deliver, budgetOfJob } = needs
    const own = { pool, log, timing, gate, lock, storage, deliver, budgetOfJob, stopping }
    const made = steps({ providers, storage, outbound, budget, log })
    const context = async (): Promise<JobContext> => ({ ...own, steps: made, heartbeat: await heartbeat })
    return {
      tasks: [
        generateTask(context),
        task(
          jobRetention,
          async () => {
            if (retentionDays === 0) return
            const jobs = await purgeJobs(pool, storage, retentionDays)
            log.info({ jobs }, `removed jobs that ended more than ${counted(retentionDays, 'day')} ago`)
          },
          '27 3 * * *',
        ),
      ],
      sweep: generationSweep(pool, timing, gate),
    }
  }
