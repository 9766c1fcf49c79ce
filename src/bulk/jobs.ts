import { z } from 'zod'
import { defineJob } from '../jobs/job.ts'

/** Bulk jobs of an account that are under way side by side: however many it asks for, others do not wait for them. */
const LANES = 4

/** Works on a bulk job. */
export const bulkJob = defineJob({
  name: 'bulk',
  payload: z.object({ bulkId: z.guid(), accountId: z.guid() }),
  queue: ({ bulkId, accountId }) =>
    `('bulk:' || ${accountId} || ':' || abs(hashtext(${bulkId}::text) % ${LANES}))`,
  key: ({ bulkId }) => `('bulk:' || ${bulkId})`,
})

/** Removes old bulk jobs; planned by its timetable alone. */
export const forgetBulkJob = defineJob({ name: 'forget_bulk', payload: z.object({}) })
