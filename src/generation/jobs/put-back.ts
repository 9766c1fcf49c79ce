import type { Pool } from 'pg'
import { named } from '../../database/statement.ts'
import { clampDueDates } from '../../jobs/clamp-due-dates.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { PAUSE_BACKOFF_MS } from './provider-gate.ts'

/**
 * After the clock of the database was put back, nothing of this room is due later than if it were planned now. What waits for
 * its turn keeps its order. A provider that had asked for a rest is tried as one that has just failed: nobody knows what is
 * left of it.
 */
export async function clampGenerationDueDates(
  pool: Pool,
  { leaseS, firstBackoffMs, firstPauseMs }: Pick<Timing, 'leaseS' | 'firstBackoffMs' | 'firstPauseMs'>,
): Promise<void> {
  await pool.query(named(CLAMP_JOBS, { leaseS, firstBackoffMs }))
  await pool.query(named(CLAMP_PAUSES, { firstMs: firstPauseMs }))
}

const CLAMP_JOBS = clampDueDates('generation_job', ':firstBackoffMs::float8 * 3 ^ (attempts - 1)')

const CLAMP_PAUSES = `
  UPDATE generation_provider p SET paused_until = least(paused_until, now() + ${PAUSE_BACKOFF_MS('greatest(p.trouble_count - 1, 0)')} * interval '1 millisecond')
  WHERE paused_until > now()`
