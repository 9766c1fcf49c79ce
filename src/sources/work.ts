import type { Database } from '../database/index.ts'
import { enqueue } from '../jobs/job.ts'
import { task, type Worker } from '../jobs/task.ts'
import { removeSourceJob } from './jobs.ts'
import { finishRemoval } from './removal.ts'

/** Milliseconds after which a removed source is looked at again that a delivery still needs an event of. */
const LOOK_AGAIN_MS = 3_600_000

/** What sources need done: the rest of a removal. */
export const sourceWork =
  ({ prisma, pool }: Database): Worker =>
  ({ stopping }) => ({
    tasks: [
      task(removeSourceJob, async ({ sourceId }) => {
        if (await finishRemoval(prisma, sourceId, stopping)) return
        await enqueue(pool, removeSourceJob, { sourceId }, LOOK_AGAIN_MS)
      }),
    ],
  })
