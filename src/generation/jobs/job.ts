import { z } from 'zod'
import { addJob, defineJob, type Expressions } from '../../jobs/job.ts'

/**
 * Works on a job of the generation service, and on so many beside it that were stored with it. However often it is added,
 * one waits, and keeps its place in the line.
 */
export const generateJob = defineJob({
  name: 'generate',
  payload: z.object({ jobId: z.guid(), beside: z.int().min(0).default(0) }),
  key: ({ jobId }) => `('generate:' || ${jobId})`,
  keepsPlace: true,
})

/** A call that queues jobs of the generation service, of which it names the first. */
export const addGenerateJob = (payload: Expressions<(typeof generateJob)['payload']>): string =>
  addJob(generateJob, payload)
