import { z } from 'zod'
import { addJob, defineJob } from '../../jobs/job.ts'

/** Works on a job of the generation service. However often it is added, one waits, and keeps its place in the line. */
export const generateJob = defineJob({
  name: 'generate',
  payload: z.object({ jobId: z.guid() }),
  key: ({ jobId }) => `('generate:' || ${jobId})`,
  keepsPlace: true,
})

/** A call that queues a job of the generation service; its argument is an SQL expression of type uuid. */
export const addGenerateJob = (jobId: string): string => addJob(generateJob, { jobId })
