import { storableJson } from '../../database/storable.ts'
import type { Queryable } from '../../database/transaction.ts'
import { sitePause } from '../../delivery/ledger/backoff.ts'
import type { ConnectedAs } from '../../delivery/steps/context.ts'
import type { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { SiteId } from '../registry.ts'

/**
 * Lets no other transaction decide about this site and what waits for it until this one ends.
 *
 * Rows are locked in one order everywhere, or two transactions would wait for each other: the site; then its deliveries,
 * several by account, site and document; then the queue's jobs. Who only reads a site's trouble locks nothing of it.
 */
export async function lockSite(database: Queryable, { accountId, id }: SiteId): Promise<void> {
  await database.query('SELECT FROM site WHERE id = $1 AND account_id = $2 FOR UPDATE', [id, accountId])
}

/**
 * Pauses a site that failed. Several deliveries that fail together count as one failure: whoever comes while
 * the site is paused adds nothing.
 */
export async function pauseSite(
  { database, timing }: { database: Queryable; timing: Pick<Timing, 'firstPauseMs'> },
  { accountId, id }: SiteId,
  failure: GalleyError,
): Promise<void> {
  const { rows } = await database.query<{ trouble_count: number }>(
    'SELECT trouble_count FROM site WHERE id = $1 AND account_id = $2',
    [id, accountId],
  )
  const failures = (rows[0]?.trouble_count ?? 0) + 1
  const pause = sitePause(failures, {
    firstMs: timing.firstPauseMs,
    retryAfterMs: failure.retryAfterMs,
    random: Math.random(),
  })
  await database.query(
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
  database: Queryable,
  site: SiteId,
  connectedAs: ConnectedAs,
  failure: Pick<GalleyError, 'code' | 'message'>,
): Promise<boolean> {
  const { rowCount } = await database.query(
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
  await holdForOwner(database, site)
  return true
}

/**
 * Holds what waits for a site that waits for its owner, with the words of the site's trouble: also what came in the moment
 * the site was stopped.
 */
export async function holdForOwner(database: Queryable, { accountId, id }: SiteId): Promise<void> {
  await database.query(
    `WITH stopped AS (
       SELECT id, account_id, trouble FROM site
       WHERE id = $1 AND account_id = $2 AND trouble IS NOT NULL AND paused_until IS NULL FOR UPDATE
     ), waiting AS (
       SELECT d.id, stopped.trouble FROM stopped
       JOIN delivery d ON d.site_id = stopped.id AND d.account_id = stopped.account_id AND d.status = 'queued'
       ORDER BY d.document_id FOR UPDATE OF d
     ), held AS (
       UPDATE delivery d SET status = 'held', due_at = NULL, error = waiting.trouble || '{"step": "plan"}',
         updated_at = now()
       FROM waiting WHERE d.id = waiting.id
       RETURNING d.id, waiting.trouble
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'plan', 'held', (trouble ->> 'code') || ': ' || (trouble ->> 'message') FROM held`,
    [id, accountId],
  )
}

/** A delivery went through so many milliseconds ago: a document that failed before may itself be to blame. */
export async function siteServed(
  database: Queryable,
  { accountId, id }: SiteId,
  agoMs: number,
): Promise<void> {
  await database.query(
    `UPDATE site SET last_success_at = greatest(last_success_at, now() - $2::float8 * interval '1 millisecond')
     WHERE id = $1 AND account_id = $3`,
    [id, agoMs, accountId],
  )
}

/** Whether the site has served a delivery since `moment`. */
export async function servedSince(
  database: Queryable,
  { accountId, id }: SiteId,
  moment: Date | null,
): Promise<boolean> {
  if (moment === null) return false
  const { rows } = await database.query(
    'SELECT 1 FROM site WHERE id = $1 AND account_id = $2 AND last_success_at > $3',
    [id, accountId, moment],
  )
  return rows.length > 0
}
