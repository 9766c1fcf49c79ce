import { type Task, task } from '../../jobs/task.ts'
import { attempt } from './attempt.ts'
import { claimNext, claimOne, isToBeAlone } from './claim.ts'
import type { JobContext } from './context.ts'
import { generateJob } from './job.ts'
import type { JobRow } from './row.ts'

/** Jobs that a process works on at once. Most of that time they wait for providers, a few of each in line. */
const JOBS_AT_ONCE = 64

/** A worker yields at last after this time, far within what graphile-worker allows a job: four hours. */
const LONGEST_MS = 10 * 60_000

/**
 * What the queue's job does: works on the one that it names, and then on what is due beside it, until nothing is. While as
 * many work in this process as may, it does nothing: the job is taken as soon as one of them is free.
 */
export function generateTask(context: () => Promise<JobContext>): Task {
  let working = 0
  return task(generateJob, async ({ jobId }) => {
    if (working >= JOBS_AT_ONCE) return
    working += 1
    try {
      await workFrom(await context(), jobId)
    } finally {
      working -= 1
    }
  })
}

async function workFrom(context: JobContext, jobId: string): Promise<void> {
  const { pool, gate, heartbeat, timing, stopping, lock } = context
  const request = { worker: heartbeat.id, leaseS: timing.leaseS }
  const end = performance.now() + LONGEST_MS
  /** The lock first: a process that ends while a job only waits for it must not be counted as the job's doing. */
  const beside = (claim: () => Promise<JobRow | null>) => lock.shared(() => workOn(context, claim))
  let worked = await beside(() => claimOne(pool, request, jobId))
  if (!worked && (await isToBeAlone(pool, jobId)))
    // Where others take longer, the sweep comes back to it.
    await lock.exclusive(
      () => workOn(context, () => claimOne(pool, request, jobId, true)),
      timing.aloneWithinMs,
    )
  while (worked && !stopping.aborted && performance.now() < end)
    worked = await beside(() => claimNext(pool, request, gate.full()))
}

async function workOn(context: JobContext, claim: () => Promise<JobRow | null>): Promise<boolean> {
  const row = context.stopping.aborted ? null : await claim()
  if (row !== null) await attempt(context, row)
  return row !== null
}
