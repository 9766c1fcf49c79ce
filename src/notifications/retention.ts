import type { Pool } from 'pg'
import { named } from '../database/named.ts'

/** Rows a statement: short enough that nobody waits behind it. */
const BATCH = 1_000

/**
 * Purges the bodies and attempts of notifications that ended, acknowledged or failed, and are older than `days`. The rows
 * stay: what was told to whom, and how it ended.
 *
 * @returns how many were purged
 */
export async function purgeNotifications(pool: Pool, days: number): Promise<number> {
  let total = 0
  for (;;) {
    const { rowCount } = await pool.query(named(PURGE, { days }))
    total += rowCount ?? 0
    if ((rowCount ?? 0) < BATCH) return total
  }
}

const PURGE = `
  WITH old AS (
    SELECT id FROM notification
    WHERE body IS NOT NULL AND status <> 'waiting' AND leased_by IS NULL AND repeat_at IS NULL
      AND created_at < now() - make_interval(days => :days)
    ORDER BY created_at, id LIMIT ${BATCH}
    FOR UPDATE SKIP LOCKED
  ), tries AS (
    DELETE FROM notification_attempt WHERE notification_id IN (SELECT id FROM old)
  )
  UPDATE notification n SET body = NULL FROM old WHERE n.id = old.id RETURNING n.id`
