import type { Pool } from 'pg'
import { named } from '../../database/statement.ts'
import { clampDueDates } from '../../jobs/clamp-due-dates.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { MAX_BACKOFF_MS } from './failure.ts'

/**
 * After the clock of the database was put back, no delivery is due later than if it were planned now. What waits for its turn
 * keeps its order.
 */
export async function deliveriesToNow(
  pool: Pool,
  { leaseS, firstBackoffMs: firstMs }: Pick<Timing, 'leaseS' | 'firstBackoffMs'>,
): Promise<void> {
  await pool.query(named(TO_NOW, { leaseS, firstMs }))
}

// As deliveryBackoff has it.
const BACKOFF = `least(:firstMs::float8 * 3 ^ (attempts - 1), ${MAX_BACKOFF_MS})`

const TO_NOW = clampDueDates('delivery', BACKOFF)
