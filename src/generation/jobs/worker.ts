import type { Pool } from 'pg'
import { z } from 'zod'
import { named } from '../../database/statement.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { addJob, createTask, defineJob, isReadyInQueue, type Sweep, type Task } from '../../jobs/job.ts'
import type { Storage } from '../storage/types.ts'
import { attemptJob, MAX_PROVIDER_WAIT_S } from './attempt.ts'
import { type ClaimRequest, claimNext, claimOne, dueJobsOf, mustRunSolo, OPEN_QUEUES } from './claim.ts'
import { generationJob, type JobRow } from './job.ts'
import type { JobContext } from './job-run.ts'
import { reclaimAbandonedJobs } from './leases.ts'
import type { ProviderGate } from './provider-gate.ts'
import { clampGenerationDueDates } from './put-back.ts'

/** Jobs that a process works on at once. Most of that time they wait for providers, a few of each in line. */
const MAX_CONCURRENT_JOBS = 64

/** A worker yields at last after this time, far within what graphile-worker allows a job: four hours. */
const MAX_WORKER_RUN_MS = 10 * 60_000

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
  return createTask(generationJob, async ({ jobId, beside }) => {
    const free = MAX_CONCURRENT_JOBS - working
    if (free <= 0) return
    const others = Array.from({ length: Math.min(beside, free - 1) }, () => workIn(workOnDueJobs))
    const ended = await Promise.allSettled([workIn((context) => workFromPayload(context, jobId)), ...others])
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  })
}

async function workFromPayload(context: JobContext, jobId: string): Promise<void> {
  const { pool, lock, stopping } = context
  const request = claimRequestOf(context)
  const worked = await claimShared(context, () => claimOne(pool, request, jobId))
  if (worked || !(await mustRunSolo(pool, jobId))) return workOnDueJobs(context)
  // However long the others take: a document takes minutes, and one that gave up would find the next ones under way each time.
  await lock.exclusive(() => workOnJob(context, () => claimOne(pool, request, jobId, true)), stopping)
}

async function workOnDueJobs(context: JobContext): Promise<void> {
  const { pool, gate, stopping } = context
  const request = claimRequestOf(context)
  const end = performance.now() + MAX_WORKER_RUN_MS
  let worked = true
  while (worked && !stopping.aborted && performance.now() < end)
    worked = await claimShared(context, () => claimNext(pool, request, gate.full()))
}

const claimRequestOf = ({ heartbeat, timing }: JobContext): ClaimRequest => ({
  worker: heartbeat.id,
  leaseS: timing.leaseS,
})

/** The lock first: a process that ends while a job only waits for it must not be counted as the job's doing. */
const claimShared = (context: JobContext, claim: () => Promise<JobRow | null>): Promise<boolean> =>
  context.lock.shared(() => workOnJob(context, claim))

async function workOnJob(context: JobContext, claim: () => Promise<JobRow | null>): Promise<boolean> {
  const row = context.stopping.aborted ? null : await claim()
  if (row !== null) await attemptJob(context, row)
  return row !== null
}

/** Jobs of each line that a sweep wakes at most: each takes on the next itself when it has ended. */
const WAKE_BATCH = 16

/** What the sweep puts right of jobs. */
export const generationSweep = (pool: Pool, timing: Timing, gate: ProviderGate): Sweep => ({
  afterDeaths: () => reclaimAbandonedJobs(pool, timing),
  afterPutBack: () => clampGenerationDueDates(pool, timing),
  rarely: () => wakeOverdueJobs(pool),
  always: () => wakeDueJobs(pool, gate),
})

/**
 * Queues what is due and need not wait: jobs whose time has come, or whose provider's pause is over, and what a process
 * that had no place left lying. The queue's job that brought one first may still be at others.
 */
async function wakeDueJobs(pool: Pool, gate: ProviderGate): Promise<void> {
  await pool.query({
    name: 'wake-due-jobs',
    ...named(
      `WITH ${OPEN_QUEUES}
       SELECT ${addJob(generationJob, { jobId: 'due.id' })}
       FROM open CROSS JOIN ${dueJobsOf('open', String(WAKE_BATCH))} due
       WHERE NOT ${isReadyInQueue(generationJob, { jobId: 'due.id' })}`,
      { full: gate.full() },
    ),
  })
}

/** Jobs that have waited too long for providers in trouble are taken once more, whatever these are: they fail then. */
async function wakeOverdueJobs(pool: Pool): Promise<void> {
  await pool.query(
    named(
      `UPDATE generation_job SET waits_for = ''
       WHERE leased_by IS NULL AND due_at IS NOT NULL AND created_at < now() - make_interval(secs => :patienceS)
         AND waits_for IN (SELECT name FROM generation_provider WHERE trouble IS NOT NULL AND name <> '')`,
      { patienceS: MAX_PROVIDER_WAIT_S },
    ),
  )
}

/** Removes jobs that ended long ago; planned by its timetable alone. */
export const jobRetention = defineJob({ name: 'generation_retention', payload: z.object({}) })

/** Jobs a statement. */
const PURGE_BATCH = 500

/**
 * Removes jobs that ended more than `days` ago, with their parts and calls; what was charged for them stays in the ledger of
 * credits. What providers answered and was too large for a row goes with them.
 *
 * @returns how many
 */
export async function purgeJobs(pool: Pool, storage: Storage, days: number): Promise<number> {
  for (let total = 0; ; ) {
    const { rows } = await pool.query<{ id: string; files: string[] }>(
      named(
        `SELECT j.id, ARRAY(SELECT p.answer ->> 'file' FROM generation_part p
           WHERE p.job_id = j.id AND p.answer ->> 'file' IS NOT NULL) AS files
         FROM generation_job j WHERE j.ended_at < now() - make_interval(days => :days) ORDER BY j.ended_at LIMIT ${PURGE_BATCH}`,
        { days },
      ),
    )
    if (rows.length === 0) return total
    // The files first: of rows that are gone nobody would know them.
    const files = rows.flatMap((row) => row.files)
    if (files.length > 0) await storage.remove(files)
    await pool.query(
      named('DELETE FROM generation_job WHERE id = ANY (:ids::uuid[])', { ids: rows.map(({ id }) => id) }),
    )
    total += rows.length
  }
}
