import type { Pool } from 'pg'
import { storableJson } from '../database/storable.ts'
import type { GalleyError } from '../errors.ts'
import type { SiteId } from '../sites/registry.ts'
import { sitePause } from './backoff.ts'
import type { ConnectedAs } from './delivering.ts'
import type { Timing } from './timing.ts'

/**
 * Pauses a site that failed. Several deliveries that fail together count as one failure: whoever comes while
 * the site is paused adds nothing.
 */
export async function pauseSite(
  { pool, timing }: { pool: Pool; timing: Pick<Timing, 'firstPauseMs'> },
  { accountId, id }: SiteId,
  failure: GalleyError,
): Promise<void> {
  const { rows } = await pool.query<{ trouble_count: number }>(
    'SELECT trouble_count FROM site WHERE id = $1 AND account_id = $2',
    [id, accountId],
  )
  const failures = (rows[0]?.trouble_count ?? 0) + 1
  const pause = sitePause(failures, {
    firstMs: timing.firstPauseMs,
    retryAfterMs: failure.retryAfterMs,
    random: Math.random(),
  })
  await pool.query(
    `UPDATE site SET paused_until = now() + $2::float8 * interval '1 millisecond', trouble_count = $3, trouble = $4
     WHERE id = $1 AND account_id = $5 AND (paused_until <= now() OR (paused_until IS NULL AND trouble IS NULL))`,
    [id, pause, failures, storableJson({ code: failure.code, message: failure.message }), accountId],
  )
}

/**
 * Stops a site until its owner acts, and holds all that waits for it, with the same words.
 *
 * @param connectedAs what the site was spoken to with when it failed
 * @returns false where it has been connected anew since: then the failure says nothing about it
 */
export async function stopForOwner(
  pool: Pool,
  site: SiteId,
  connectedAs: ConnectedAs,
  failure: Pick<GalleyError, 'code' | 'message'>,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE site SET paused_until = NULL, trouble = $4, trouble_count = trouble_count + 1
     WHERE id = $1 AND account_id = $5 AND username = $2 AND application_password = $3`,
    [
      site.id,
      connectedAs.username,
      connectedAs.sealedPassword,
      storableJson({ code: failure.code, message: failure.message }),
      site.accountId,
    ],
  )
  if (rowCount === 0) return false
  await holdForOwner(pool, site)
  return true
}

/**
 * Holds what is due on a site that waits for its owner, with the words of the site's trouble: also what came in the
 * moment the site was stopped, and what a process left that died.
 */
export async function holdForOwner(pool: Pool, { accountId, id }: SiteId): Promise<void> {
  await pool.query(
    `WITH held AS (
       UPDATE delivery d SET status = 'held', due_at = NULL, error = site.trouble || '{"step": "plan"}',
         fence = d.fence + 1, leased_by = NULL, updated_at = now()
       FROM site
       WHERE site.id = $1 AND site.account_id = $2 AND site.trouble IS NOT NULL AND site.paused_until IS NULL
         AND d.site_id = site.id AND d.account_id = site.account_id
         AND (d.status = 'queued' OR d.due_at <= now())
       RETURNING d.id, site.trouble
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'plan', 'held', (trouble ->> 'code') || ': ' || (trouble ->> 'message') FROM held`,
    [id, accountId],
  )
}

/** A delivery went through so many milliseconds ago: a document that failed before may itself be to blame. */
export async function siteServed(pool: Pool, { accountId, id }: SiteId, agoMs: number): Promise<void> {
  await pool.query(
    `UPDATE site SET last_success_at = greatest(last_success_at, now() - $2::float8 * interval '1 millisecond')
     WHERE id = $1 AND account_id = $3`,
    [id, agoMs, accountId],
  )
}

/** Whether the site has served a delivery since `moment`. */
export async function servedSince(
  pool: Pool,
  { accountId, id }: SiteId,
  moment: Date | null,
): Promise<boolean> {
  if (moment === null) return false
  const { rows } = await pool.query(
    'SELECT 1 FROM site WHERE id = $1 AND account_id = $2 AND last_success_at > $3',
    [id, accountId, moment],
  )
  return rows.length > 0
}
