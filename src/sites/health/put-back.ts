import type { Pool } from 'pg'
import { named } from '../../database/statement.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { MAX_PAUSE_MS } from './outage.ts'

/**
 * After the clock of the database was put back, no site rests longer than one that has just failed. One that had asked for a
 * rest is tried as such: nobody knows what is left of it.
 */
export async function sitePausesToNow(
  pool: Pool,
  { firstPauseMs: firstMs }: Pick<Timing, 'firstPauseMs'>,
): Promise<void> {
  await pool.query(named(TO_NOW, { firstMs }))
}

// As sitePause has it.
const PAUSE = `least(:firstMs::float8 * 2 ^ least(greatest(trouble_count - 1, 0), 20), ${MAX_PAUSE_MS})`

const TO_NOW = `
  UPDATE site SET paused_until = least(paused_until, now() + ${PAUSE} * interval '1 millisecond')
  WHERE paused_until > now()`
