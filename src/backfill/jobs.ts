import { z } from 'zod'
import { defineJob } from '../jobs/job.ts'

/** Looks for documents to ask for, and wakes those who ask; planned by its timetable alone. */
export const backfillJob = defineJob({ name: 'backfill', payload: z.object({}), maxAttempts: 1 })

/** Upstreams that are asked side by side in the whole installation; one that is slow holds up the others of its lane alone. */
const LANES = 4

/** Asks the upstream of one source for what is due. In lanes of its own: it takes no site worker's place. */
export const askJob = defineJob({
  name: 'backfill_source',
  payload: z.object({ accountId: z.guid(), sourceId: z.guid() }),
  queue: ({ sourceId }) => `('backfill:' || abs(hashtext(${sourceId}::text) % ${LANES}))`,
  key: ({ sourceId }) => `('backfill:' || ${sourceId})`,
  keepsPlace: true,
  maxAttempts: 1,
})
