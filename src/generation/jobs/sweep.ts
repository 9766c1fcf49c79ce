import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { addJob, isWaiting } from '../../jobs/job.ts'
import type { Sweep } from '../../jobs/task.ts'
import type { Timing } from '../../jobs/timing.ts'
import { PATIENCE_S } from './attempt.ts'
import { dueOf, OPEN_LINES } from './claim.ts'
import type { Gate } from './gate.ts'
import { generateJob } from './job.ts'
import { jobsToNow } from './put-back.ts'
import { takeOverJobs } from './take-over.ts'

/** Jobs of each line that a sweep wakes at most: each takes on the next itself when it has ended. */
const WOKEN = 16

/** What the sweep puts right of jobs. */
export const generationSweep = (pool: Pool, timing: Timing, gate: Gate): Sweep => ({
  afterDeaths: () => takeOverJobs(pool, timing),
  afterPutBack: () => jobsToNow(pool, timing),
  rarely: () => endPatience(pool),
  always: () => wakeDueJobs(pool, gate),
})

/**
 * Queues what is due and need not wait: jobs whose time has come, or whose provider's pause is over, and what a process
 * that had no place left lying. The queue's job that brought one first may still be at others.
 */
async function wakeDueJobs(pool: Pool, gate: Gate): Promise<void> {
  await pool.query({
    name: 'wake-due-jobs',
    ...named(
      `WITH ${OPEN_LINES}
       SELECT ${addJob(generateJob, { jobId: 'due.id' })}
       FROM open CROSS JOIN ${dueOf('open', String(WOKEN))} due
       WHERE NOT ${isWaiting(generateJob, { jobId: 'due.id' })}`,
      { full: gate.full() },
    ),
  })
}

/** Jobs that have waited too long for providers in trouble are taken once more, whatever these are: they fail then. */
async function endPatience(pool: Pool): Promise<void> {
  await pool.query(
    named(
      `UPDATE generation_job SET waits_for = ''
       WHERE leased_by IS NULL AND due_at IS NOT NULL AND created_at < now() - make_interval(secs => :patienceS)
         AND waits_for IN (SELECT name FROM generation_provider WHERE trouble IS NOT NULL AND name <> '')`,
      { patienceS: PATIENCE_S },
    ),
  )
}
