import { z } from 'zod'
import { defineJob } from '../../jobs/job.ts'

/** Works on a job of the generation service. However often it is added, one waits, and keeps its place in the line. */
export const generateJob = defineJob({
  name: 'generate',
  payload: z.object({ jobId: z.guid() }),
  key: ({ jobId }) => `('generate:' || ${jobId})`,
  keepsPlace: true,
})
