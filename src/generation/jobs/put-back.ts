import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { dueToNow } from '../../jobs/due-to-now.ts'
import type { Timing } from '../../jobs/timing.ts'
import { STANDARD_PAUSE } from './provider-outage.ts'

/**
 * After the clock of the database was put back, nothing of this room is due later than if it were planned now. What waits for
 * its turn keeps its order. A provider that had asked for a rest is tried as one that has just failed: nobody knows what is
 * left of it.
 */
export async function jobsToNow(
  pool: Pool,
  { leaseS, firstBackoffMs, firstPauseMs }: Pick<Timing, 'leaseS' | 'firstBackoffMs' | 'firstPauseMs'>,
): Promise<void> {
  await pool.query(named(JOBS_TO_NOW, { leaseS, firstBackoffMs }))
  await pool.query(named(PAUSES_TO_NOW, { firstMs: firstPauseMs }))
}

const JOBS_TO_NOW = dueToNow('generation_job', ':firstBackoffMs::float8 * 3 ^ (attempts - 1)')

const PAUSES_TO_NOW = `
  UPDATE generation_provider p SET paused_until = least(paused_until, now() + ${STANDARD_PAUSE('greatest(p.trouble_count - 1, 0)')} * interval '1 millisecond')
  WHERE paused_until > now()`
