import { type Task, task } from '../../jobs/task.ts'
import { attempt } from './attempt.ts'
import { type ClaimRequest, claimNext, claimOne, isToBeAlone } from './claim.ts'
import type { JobContext } from './context.ts'
import { generateJob } from './job.ts'
import type { JobRow } from './row.ts'

/** Jobs that a process works on at once. Most of that time they wait for providers, a few of each in line. */
const JOBS_AT_ONCE = 64

/** A worker yields at last after this time, far within what graphile-worker allows a job: four hours. */
const LONGEST_MS = 10 * 60_000

/**
 * What the queue's job does: works on the one that it names, in other places on as many as came with it, and in each then on
 * what is due beside it, until nothing is. While as many work in this process as may, it does nothing: the job is taken as
 * soon as one of them is free.
 */
export function generateTask(context: () => Promise<JobContext>): Task {
  let working = 0
  const workIn = async (work: (context: JobContext) => Promise<void>) => {
    working += 1
    try {
      await work(await context())
    } finally {
      working -= 1
    }
  }
  return task(generateJob, async ({ jobId, beside }) => {
    const free = JOBS_AT_ONCE - working
    if (free <= 0) return
    const others = Array.from({ length: Math.min(beside, free - 1) }, () => workIn(workOnDue))
    const ended = await Promise.allSettled([workIn((context) => workFrom(context, jobId)), ...others])
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  })
}

async function workFrom(context: JobContext, jobId: string): Promise<void> {
  const { pool, lock, stopping } = context
  const request = requestOf(context)
  const worked = await inCompany(context, () => claimOne(pool, request, jobId))
  if (worked || !(await isToBeAlone(pool, jobId))) return workOnDue(context)
  // However long the others take: a document takes minutes, and one that gave up would find the next ones under way each time.
  await lock.exclusive(() => workOn(context, () => claimOne(pool, request, jobId, true)), stopping)
}

async function workOnDue(context: JobContext): Promise<void> {
  const { pool, gate, stopping } = context
  const request = requestOf(context)
  const end = performance.now() + LONGEST_MS
  let worked = true
  while (worked && !stopping.aborted && performance.now() < end)
    worked = await inCompany(context, () => claimNext(pool, request, gate.full()))
}

const requestOf = ({ heartbeat, timing }: JobContext): ClaimRequest => ({
  worker: heartbeat.id,
  leaseS: timing.leaseS,
})

/** The lock first: a process that ends while a job only waits for it must not be counted as the job's doing. */
const inCompany = (context: JobContext, claim: () => Promise<JobRow | null>): Promise<boolean> =>
  context.lock.shared(() => workOn(context, claim))

async function workOn(context: JobContext, claim: () => Promise<JobRow | null>): Promise<boolean> {
  const row = context.stopping.aborted ? null : await claim()
  if (row !== null) await attempt(context, row)
  return row !== null
}
