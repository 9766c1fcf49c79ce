import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { Timing } from '../../jobs/timing.ts'
import { LONGEST_BACKOFF_MS } from './backoff.ts'

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

// Of one that has failed, as deliveryBackoff has it.
const TO_NOW = `
  WITH ahead AS (
    SELECT coalesce(max(due_at) FILTER (WHERE leased_by IS NULL AND attempts = 0), now()) - now() AS by
    FROM delivery WHERE due_at > now()
  )
  UPDATE delivery SET due_at = CASE
    WHEN leased_by IS NOT NULL THEN least(due_at, now() + make_interval(secs => :leaseS))
    WHEN attempts > 0 THEN least(due_at, now() + make_interval(secs => least(:firstMs::float8 * 3 ^ (attempts - 1), ${LONGEST_BACKOFF_MS}) / 1000))
    ELSE due_at - ahead.by END
  FROM ahead WHERE due_at > now()`
