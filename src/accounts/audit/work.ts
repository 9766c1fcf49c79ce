import type { Pool } from 'pg'
import { z } from 'zod'
import { defineJob } from '../../jobs/job.ts'
import { task, type Worker } from '../../jobs/task.ts'
import { enterUnfinished, UNFINISHED_AFTER_MS } from './intent.ts'

const unfinishedJob = defineJob({ name: 'enter_unfinished', payload: z.object({}) })

/** What the audit log needs done: that what a killed process has begun is in it within two hours. */
export const auditWork =
  (pool: Pool): Worker =>
  () => ({
    tasks: [
      task(
        unfinishedJob,
        async () => {
          await enterUnfinished(pool, new Date(Date.now() - UNFINISHED_AFTER_MS))
        },
        '53 * * * *',
      ),
    ],
  })
