import type { Pool } from 'pg'

/** Seconds for which a retry, a pause or a lease may last: an hour, which `Retry-After` may ask for, and some to store it in. */
const MAX_AHEAD_S = 3_660

export interface DueDate {
  table: string
  column: string
  /** Seconds that it may lie ahead; an hour where left out. */
  maxAheadS?: number
}

const QUEUE_DATES: readonly DueDate[] = [
  { table: 'worker_process', column: 'beat_at', maxAheadS: 0 },
  { table: 'graphile_worker._private_job_queues', column: 'locked_at', maxAheadS: 0 },
  { table: 'graphile_worker._private_jobs', column: 'locked_at', maxAheadS: 0 },
]

/** The queue knows when a job was planned. Jobs wait for up to a day, so that `run_at` alone says too little. */
const PLANNED_LATER = `
  UPDATE graphile_worker._private_jobs
  SET run_at = now() + greatest(run_at - updated_at, '0'), updated_at = now() WHERE updated_at > now()`

/** Makes due now what lies further ahead than any pause: the database's clock was put back. */
export async function clampDueDates(pool: Pool, dueDates: readonly DueDate[]): Promise<void> {
  for (const { table, column, maxAheadS = MAX_AHEAD_S } of [...QUEUE_DATES, ...dueDates])
    await pool.query(
      `UPDATE ${table} SET ${column} = now() WHERE ${column} > now() + make_interval(secs => $1)`,
      [maxAheadS],
    )
  await pool.query(PLANNED_LATER)
}
