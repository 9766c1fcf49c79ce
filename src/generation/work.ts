import type { Database } from '../database/client.ts'
import type { Timing } from '../jobs/heartbeat.ts'
import { createRetentionTask, type WorkFactory } from '../jobs/job.ts'
import { SharedExclusiveLock } from '../jobs/shared-exclusive-lock.ts'
import { trialTask } from './jobs/blocked-providers.ts'
import type { DeliverDocument, JobContext, JobSteps } from './jobs/job-run.ts'
import type { JobBudget } from './jobs/provider-call.ts'
import { ProviderGate } from './jobs/provider-gate.ts'
import { generateTask, generationSweep, purgeJobs } from './jobs/worker.ts'
import type { StepNeeds } from './pipeline/types.ts'

interface GenerationNeeds extends StepNeeds {
  database: Database
  timing: Timing
  /** Days that jobs are kept once they have ended; 0 for ever. */
  retentionDays: number
  deliver: DeliverDocument
  budgetOfJob: JobBudget
  steps: (needs: StepNeeds) => JobSteps
}

export const generationWork =
  (needs: GenerationNeeds): WorkFactory =>
  ({ heartbeat, stopping }) => {
    const { pool } = needs.database
    const { log, timing, providers, storage, deliver, budgetOfJob } = needs
    const gate = new ProviderGate()
    const lock = new SharedExclusiveLock()
    const own = { pool, log, timing, gate, lock, storage, deliver, budgetOfJob, stopping }
    const steps = needs.steps(needs)
    const context = async (): Promise<JobContext> => ({ ...own, steps, heartbeat: await heartbeat })
    return {
      tasks: [
        generateTask(context),
        trialTask({ pool, log, providers, firstPauseMs: timing.firstPauseMs, stopping }),
        createRetentionTask('generation_retention', '27 3 * * *', needs, async (days) => ({
          jobs: await purgeJobs(pool, days),
        })),
      ],
      sweep: generationSweep(pool, timing, gate),
    }
  }

/** What makes each kind of job; loaded with the first of its kind, since few processes make all of them. */
export const jobSteps = (needs: StepNeeds): JobSteps => ({
  document: async (run) => (await import('./pipeline/document.ts')).makeDocument(run, needs),
  audio: async (run) => (await import('./pipeline/speech/speech.ts')).makeAudio(run, needs),
  image: async (run) => (await import('./pipeline/pictures.ts')).makeImage(run, needs),
})
