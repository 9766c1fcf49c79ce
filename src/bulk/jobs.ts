import { z } from 'zod'
import { defineJob } from '../jobs/job.ts'

/** Bulk jobs under way side by side in the whole installation: none takes the places of deliveries. */
const LANES = 4

/** Works on a bulk job. */
export const bulkJob = defineJob({
  name: 'bulk',
  payload: z.object({ bulkId: z.guid() }),
  queue: ({ bulkId }) => `('bulk:' || abs(hashtext(${bulkId}::text) % ${LANES}))`,
  key: ({ bulkId }) => `('bulk:' || ${bulkId})`,
})

/** Removes old bulk jobs; planned by its timetable alone. */
export const forgetBulkJob = defineJob({ name: 'forget_bulk', payload: z.object({}) })
