import { z } from 'zod'
import { defineJob } from '../jobs/job.ts'

/** Removes what is left of a removed source. */
export const removeSourceJob = defineJob({
  name: 'remove_source',
  payload: z.object({ sourceId: z.guid() }),
  key: ({ sourceId }) => `('remove_source:' || ${sourceId})`,
})
