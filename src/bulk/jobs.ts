import { z } from 'zod'
import { defineJob } from '../jobs/job.ts'

/** Bulk jobs of an account that are under way side by side: however many it asks for, others do not wait for them. */
const LANES = 4

/** Works on a bulk job. */
export const bulkJob = defineJob({
  name: 'bulk',
  // An older Galley has planned some without.
  payload: z.object({ bulkId: z.guid(), accountId: z.guid().optional() }),
  queue: ({ bulkId, accountId }) =>
    `('bulk:' || ${accountId ?? 'NULL'} || ':' || abs(hashtext(${bulkId}::text) % ${LANES}))`,
  key: ({ bulkId }) => `('bulk:' || ${bulkId})`,
})

/** Removes old bulk jobs; planned by its timetable alone. */
export const forgetBulkJob = defineJob({ name: 'forget_bulk', payload: z.object({}) })
