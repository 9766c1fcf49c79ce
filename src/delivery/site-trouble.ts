import type { Pool } from 'pg'
import { storableJson, storableText } from '../database/storable.ts'
import type { GalleyError } from '../errors.ts'
import { sitePause } from './backoff.ts'
import type { Timing } from './timing.ts'

/**
 * Pauses a site that failed. Several deliveries that fail together count as one failure: whoever comes while
 * the site is paused adds nothing.
 */
export async function pauseSite(
  { pool, timing }: { pool: Pool; timing: Pick<Timing, 'firstPauseMs'> },
  siteId: string,
  failure: GalleyError,
): Promise<void> {
  const { rows } = await pool.query<{ trouble_count: number }>(
    'SELECT trouble_count FROM site WHERE id = $1',
    [siteId],
  )
  const failures = (rows[0]?.trouble_count ?? 0) + 1
  const pause = sitePause(failures, {
    firstMs: timing.firstPauseMs,
    retryAfterMs: failure.retryAfterMs,
    random: Math.random(),
  })
  await pool.query(
    `UPDATE site SET paused_until = now() + $2::float8 * interval '1 millisecond', trouble_count = $3, trouble = $4
     WHERE id = $1 AND (paused_until <= now() OR (paused_until IS NULL AND trouble IS NULL))`,
    [siteId, pause, failures, storableJson({ code: failure.code, message: failure.message })],
  )
}

/** Stops a site until its owner acts, and holds all that waits for it, with the same words. */
export async function stopForOwner(
  pool: Pool,
  siteId: string,
  failure: Pick<GalleyError, 'code' | 'message'>,
): Promise<void> {
  const trouble = { code: failure.code, message: failure.message }
  await pool.query(
    `WITH stopped AS (
       UPDATE site SET paused_until = NULL, trouble = $2::jsonb, trouble_count = trouble_count + 1
       WHERE id = $1 RETURNING id
     ), waiting AS (
       UPDATE delivery SET status = 'held', due_at = NULL, error = $2::jsonb || '{"step": "plan"}', updated_at = now()
       FROM stopped WHERE site_id = stopped.id AND status = 'queued' RETURNING delivery.id
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'plan', 'held', $3 FROM waiting`,
    [siteId, storableJson(trouble), storableText(`${trouble.code}: ${trouble.message}`)],
  )
}

/** The site answers again: whatever was wrong with it is over. */
export async function siteAnswers(pool: Pool, siteId: string): Promise<void> {
  await pool.query('UPDATE site SET paused_until = NULL, trouble = NULL, trouble_count = 0 WHERE id = $1', [
    siteId,
  ])
}

/** A delivery went through: a document that fails from now on may itself be to blame. */
export async function siteServed(pool: Pool, siteId: string): Promise<void> {
  await pool.query('UPDATE site SET last_success_at = now() WHERE id = $1', [siteId])
}

/** Whether the site has served a delivery since `moment`. */
export async function servedSince(pool: Pool, siteId: string, moment: Date | null): Promise<boolean> {
  if (moment === null) return false
  const { rows } = await pool.query('SELECT 1 FROM site WHERE id = $1 AND last_success_at > $2', [
    siteId,
    moment,
  ])
  return rows.length > 0
}

/** Lets a site in trouble be tried now, with one delivery, instead of when its pause is over or its owner acts. */
export async function probeNow(pool: Pool, siteId: string): Promise<void> {
  await pool.query('UPDATE site SET paused_until = now() WHERE id = $1 AND trouble IS NOT NULL', [siteId])
}
