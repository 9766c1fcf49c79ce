import type { Pool } from 'pg'

/** Rows a statement: short enough that intake does not wait behind it. */
const BATCH = 2_000

/**
 * Thins what is older than `days`: the bodies of events, unless a delivery still has to be made from one, and the
 * timelines of deliveries that have ended. The rows themselves stay: an event's digest tells a repetition, and a
 * delivery's row keeps one post one.
 *
 * @returns how many of each were thinned
 */
export async function thin(pool: Pool, days: number): Promise<{ events: number; steps: number }> {
  const events = await inBatches(
    pool,
    `UPDATE event SET body = NULL WHERE id IN (
       SELECT e.id FROM event e
       WHERE e.received_at < now() - make_interval(days => $1) AND e.body IS NOT NULL
         AND NOT EXISTS (
           SELECT 1 FROM delivery d
           WHERE d.wanted_event_id = e.id AND d.document_id = e.document_id AND d.status NOT IN ('delivered', 'failed'))
       LIMIT ${BATCH})`,
    days,
  )
  const steps = await inBatches(
    pool,
    `DELETE FROM delivery_step WHERE id IN (
       SELECT s.id FROM delivery_step s JOIN delivery d ON d.id = s.delivery_id
       WHERE s.at < now() - make_interval(days => $1) AND d.status IN ('delivered', 'failed')
       LIMIT ${BATCH})`,
    days,
  )
  return { events, steps }
}

async function inBatches(pool: Pool, statement: string, days: number): Promise<number> {
  let total = 0
  for (;;) {
    const { rowCount } = await pool.query(statement, [days])
    total += rowCount ?? 0
    if (rowCount === null || rowCount < BATCH) return total
  }
}
