import { z } from 'zod'
import { defineJob } from '../../jobs/job.ts'

/** Imports that are under way side by side in the whole installation. */
const LANES = 4

/** Connects the sites of a file. */
export const importJob = defineJob({
  name: 'import_sites',
  payload: z.object({ importId: z.guid() }),
  queue: ({ importId }) => `('import:' || abs(hashtext(${importId}::text) % ${LANES}))`,
  key: ({ importId }) => `('import:' || ${importId})`,
})

/** Removes old reports of imports; planned by its timetable alone. */
export const forgetImportsJob = defineJob({ name: 'forget_imports', payload: z.object({}) })
