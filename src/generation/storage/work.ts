import { z } from 'zod'
import { defineJob } from '../../jobs/job.ts'
import { task, type Worker } from '../../jobs/task.ts'
import type { Logger } from '../../log.ts'
import { removeExpired, removeUnfinished } from './expiry.ts'
import type { Places } from './storage.ts'

/** Removes files whose time is over; planned by its timetable alone. */
const fileExpiryJob = defineJob({ name: 'file_expiry', payload: z.object({}) })

/** What the storage needs done: the removal of what is old, every night. */
export const storageWork =
  (storage: Places, log: Logger): Worker =>
  () => ({
    tasks: [
      task(
        fileExpiryJob,
        async () => {
          const { removed, left } = await removeExpired(storage)
          const unfinished = await removeUnfinished(storage.unfinished)
          log.info({ removed, unfinished }, 'removed expired files')
          if (left > 0)
            log.warn({ left }, 'some expired files could not be removed; they are tried again the next night')
        },
        '37 3 * * *',
      ),
    ],
  })
