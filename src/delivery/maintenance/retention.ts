import type { Pool } from 'pg'
import { inBatches, MANY_ROWS, queryRows } from '../../database/statement.ts'

interface Batch {
  seen: number
  done: number
  at: Date
  id: string
}

/**
 * Purges what is older than `days`: bodies of events that no delivery waits for, and timelines of ended deliveries. The rows stay: a
 * digest tells a repetition, and a delivery keeps one post one. @returns how many of each
 */
export async function purge(pool: Pool, days: number): Promise<{ events: number; steps: number }> {
  return {
    events: await purgeOlder(pool, EVENTS, days, '00000000-0000-0000-0000-000000000000'),
    steps: await purgeOlder(pool, STEPS, days, '0'),
  }
}

/** Each batch goes on where the one before ended: what must stay is looked at once a run, and not once a batch. */
async function purgeOlder(pool: Pool, statement: string, days: number, firstId: string): Promise<number> {
  let total = 0
  let from: { at: Date | string; id: string } = { at: '-infinity', id: firstId }
  await inBatches(MANY_ROWS, async () => {
    const [batch] = await queryRows<Batch>(pool, statement, { days, ...from })
    if (batch === undefined) return 0
    from = { at: batch.at, id: batch.id }
    total += batch.done
    return batch.seen
  })
  return total
}

/** Forgets what choices replaced, once it can no longer be put back. What is under way keeps it. */
export const forgetReplaced = (pool: Pool) =>
  pool.query(
    `UPDATE delivery d SET replaced = NULL, undo_until = NULL WHERE d.id = ANY (ARRAY(
       SELECT id FROM delivery WHERE undo_until < now() AND status NOT IN ('queued', 'delivering')
       ORDER BY account_id, site_id, document_id LIMIT ${MANY_ROWS} FOR UPDATE SKIP LOCKED))`,
  )

const DONE = "'delivered', 'failed', 'cancelled', 'kept', 'withdrawn'"

// Written so that each row of a batch is looked up by its index: as a join, whole tables might be read for it.
const EVENTS = `
  WITH old AS (
    SELECT id, account_id, received_at AS at FROM event
    WHERE body IS NOT NULL AND received_at < now() - make_interval(days => :days) AND (received_at, id) > (:at, :id)
    ORDER BY received_at, id LIMIT ${MANY_ROWS}
  ), purged AS (
    UPDATE event SET body = NULL, confirmed_body = NULL WHERE id = ANY (ARRAY(
      SELECT old.id FROM old WHERE (
        SELECT d.id FROM delivery d
        WHERE d.account_id = old.account_id AND d.wanted_event_id = old.id AND d.status NOT IN (${DONE})
        LIMIT 1
      ) IS NULL))
    RETURNING event.id
  )
  SELECT (SELECT count(*)::int FROM old) AS seen, (SELECT count(*)::int FROM purged) AS done, at, id
  FROM old ORDER BY at DESC, id DESC LIMIT 1`

const STEPS = `
  WITH old AS (
    SELECT id, delivery_id, at FROM delivery_step
    WHERE at < now() - make_interval(days => :days) AND (at, id) > (:at, :id)
    ORDER BY at, id LIMIT ${MANY_ROWS}
  ), purged AS (
    DELETE FROM delivery_step WHERE id = ANY (ARRAY(
      SELECT old.id FROM old
      WHERE (SELECT d.status FROM delivery d WHERE d.id = old.delivery_id) IN (${DONE})))
    RETURNING delivery_step.id
  )
  SELECT (SELECT count(*)::int FROM old) AS seen, (SELECT count(*)::int FROM purged) AS done, at, id
  FROM old ORDER BY at DESC, id DESC LIMIT 1`
