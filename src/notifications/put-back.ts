import type { Pool } from 'pg'
import { named } from '../database/statement.ts'
import { LEASE_S, MAIL_LEASE_S, RETRY_AFTER_MINUTES } from './attempt.ts'
import { MAX_PER_DIGEST } from './mail/digest.ts'
import { digestDueAt } from './notify.ts'

/**
 * Whether something was put into the outbox, or gathered for a mail, at a time that is yet to come: the clock was put back
 * while no process ran.
 */
export async function hasFutureRows(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ future: boolean }>(HOLDS_FUTURE)
  return rows[0]?.future === true
}

// As the index of those that still have a body is asked; of what is gathered, the newest for each receiver.
const HOLDS_FUTURE = `
  SELECT EXISTS (SELECT FROM notification WHERE body IS NOT NULL AND created_at > now())
    OR EXISTS (
      SELECT FROM receiver r CROSS JOIN LATERAL (
        SELECT at FROM digest_item WHERE receiver_id = r.id ORDER BY id DESC LIMIT 1) AS newest
      WHERE newest.at > now()) AS future`

/**
 * After the clock of the database was put back, what was planned before seems far off: for as long as the clock went back.
 * Nothing is due later than if it were planned now, however, so that nothing is early by this and no repetition does harm.
 * What was to be sent at once is, and what is sent again waits for its own time at most.
 */
export async function clampNotificationDueDates(pool: Pool): Promise<void> {
  await pool.query(
    named(CLAMP_ALL, {
      afterMinutes: [0, ...RETRY_AFTER_MINUTES],
      leaseS: LEASE_S,
      mailLeaseS: MAIL_LEASE_S,
    }),
  )
  await pool.query(CLAMP_DIGESTS)
}

const PLANNED_NOW = 'now() + make_interval(mins => coalesce((:afterMinutes::int[])[attempts + 1], 0))'
const LEASED_NOW = 'now() + make_interval(secs => greatest(:leaseS::int, :mailLeaseS::int))'

// What is null stays so: least() passes it over, and a notification that waits for nobody has no time.
const CLAMP_ALL = `
  UPDATE notification SET
    due_at = CASE WHEN due_at IS NOT NULL THEN least(due_at, ${PLANNED_NOW}) END,
    repeat_at = CASE WHEN repeat_at IS NOT NULL THEN least(repeat_at, now()) END,
    leased_until = CASE WHEN leased_until IS NOT NULL THEN least(leased_until, ${LEASED_NOW}) END
  WHERE (due_at > now() AND due_at > ${PLANNED_NOW}) OR repeat_at > now() OR (leased_by IS NOT NULL AND leased_until > ${LEASED_NOW})`

// Of what is gathered for a receiver, as much as one mail tells of: the rest leaves with the next, which waits for none of it.
const CLAMP_DIGESTS = `
  UPDATE digest_item i
  SET due_at = ${digestDueAt('i.event', '(SELECT digest_minutes FROM receiver WHERE id = i.receiver_id)')}
  WHERE i.id = ANY (ARRAY(
    SELECT far.id FROM receiver r CROSS JOIN LATERAL (
      SELECT id FROM digest_item
      WHERE receiver_id = r.id AND due_at > now() AND due_at > ${digestDueAt('event', 'r.digest_minutes')}
      ORDER BY due_at, id LIMIT ${MAX_PER_DIGEST}) AS far))`
