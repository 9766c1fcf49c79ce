import type { Pool } from 'pg'
import { named } from '../database/named.ts'
import type { Claimed } from './claim.ts'
import type { Answer } from './receiver.ts'
import { RETRY_AFTER_MINUTES } from './timetable.ts'

/**
 * Writes down what came of an attempt, and when the next one is: so long after this moment, by the database's clock. An
 * attempt that counts no more, since others have taken it for abandoned, is kept, and decides nothing.
 */
export async function settle(
  pool: Pool,
  { id, fence, attempt, by_hand: byHand }: Pick<Claimed, 'id' | 'fence' | 'attempt' | 'by_hand'>,
  { tookMs, httpStatus, error }: Answer,
): Promise<void> {
  await pool.query({
    name: 'settle-notification',
    ...named(SETTLE, {
      id,
      fence,
      attempt,
      byHand,
      acknowledged: error === null,
      tookMs,
      httpStatus,
      error: error === null ? null : JSON.stringify(error),
      afterMinutes: [...RETRY_AFTER_MINUTES],
    }),
  })
}

// What was asked for by hand while it was under way is asked for still, and what was ended meanwhile has ended. Of an attempt
// that began before the clock was put back nobody knows which was first: it is sent once too often rather than not at all.
// An array's element beyond its end is null.
const SETTLE = `
  WITH tried AS (
    UPDATE notification_attempt SET took_ms = :tookMs, http_status = :httpStatus, error = :error::jsonb
    WHERE id = :attempt
    RETURNING at
  )
  UPDATE notification n SET
    leased_by = NULL,
    leased_until = NULL,
    repeat_at = CASE WHEN n.repeat_at > (SELECT at FROM tried) OR (SELECT at FROM tried) > now() THEN n.repeat_at END,
    attempts = n.attempts + CASE WHEN :byHand THEN 0 ELSE 1 END,
    status = CASE
      WHEN :acknowledged THEN 'acknowledged'
      WHEN :byHand OR n.due_at IS NULL THEN n.status
      WHEN (:afterMinutes::int[])[n.attempts + 1] IS NULL THEN 'failed'
      ELSE n.status END,
    due_at = CASE
      WHEN :acknowledged THEN NULL
      WHEN :byHand OR n.due_at IS NULL THEN n.due_at
      ELSE now() + make_interval(mins => (:afterMinutes::int[])[n.attempts + 1]) END
  WHERE n.id = :id AND n.fence = :fence AND n.leased_by IS NOT NULL`
