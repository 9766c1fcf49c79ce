import { z } from 'zod'
import { defineJob } from '../../jobs/job.ts'

/** Imports of an account that are under way side by side: however many it asks for, others do not wait for them. */
const LANES = 4

/** Connects the sites of a file. */
export const importJob = defineJob({
  name: 'import_sites',
  payload: z.object({ importId: z.guid(), accountId: z.guid() }),
  queue: ({ importId, accountId }) =>
    `('import:' || ${accountId} || ':' || abs(hashtext(${importId}::text) % ${LANES}))`,
  key: ({ importId }) => `('import:' || ${importId})`,
})

/** Removes old reports of imports; planned by its timetable alone. */
export const forgetImportsJob = defineJob({ name: 'forget_imports', payload: z.object({}) })
