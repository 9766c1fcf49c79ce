import type { Pool } from 'pg'
import { named } from '../../database/statement.ts'
import { inTransaction, type Queryable, type RowSource } from '../../database/transaction.ts'
import type { GalleyError } from '../../errors.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { transportFailures } from '../../outbound/failures.ts'
import type { ConnectedCredentials, SiteId } from '../../sites/connection.ts'
import { lockSite, notifiedSiteColumns, outageEnded, stopSiteForOwner } from '../../sites/health/outage.ts'
import { wordPressFailures } from '../../wordpress/failures/index.ts'
import { addSiteWorker } from '../jobs.ts'
import type { HeldLogEntry } from './notifications.ts'
import { transition, transitionAllowed } from './state.ts'

/** Why a delivery may have been held that goes on once the site is connected, or serves again. */
export const siteHoldCodes = [
  'site_unknown',
  'secret_key_missing',
  'secret_unreadable',
  ...Object.entries({ ...wordPressFailures, ...transportFailures })
    .filter(([, { fault }]) => fault === 'owner' || fault === 'site')
    .map(([code]) => code),
]

/**
 * Starts a site's deliveries again after it was connected or reconnected, or has served one again: forgets its
 * trouble, and queues what was held because of the site. Deliveries that a person trashed, deleted or changed stay
 * held.
 *
 * @returns how many deliveries go on
 */
export const resumeSite = (pool: Pool, site: SiteId): Promise<number> =>
  inTransaction(pool, async (database) => {
    // By a statement of its own: the next one then sees what others have held or queued until now.
    await lockSite(database, site)
    return resumeLockedSite(database, site)
  })

/** {@link resumeSite} in a transaction that has locked the site. */
export async function resumeLockedSite(database: RowSource, { accountId, id }: SiteId): Promise<number> {
  const { rows } = await database.query<{ resumed: number }>(
    named(
      `WITH before AS (
         SELECT id, account_id, trouble FROM site WHERE id = :id AND account_id = :accountId
       ), cleared AS (
         UPDATE site SET trouble = NULL, trouble_count = 0, paused_until = NULL
         FROM before WHERE site.id = before.id AND site.account_id = before.account_id
         RETURNING ${notifiedSiteColumns('site')}, before.trouble AS was
       ), ${notifyReceivers(outageEnded('cleared'))}, waiting AS (
         SELECT d.id FROM cleared
         JOIN delivery d ON d.site_id = cleared.id AND d.account_id = cleared.account_id AND ${transitionAllowed('resume', 'd')}
           AND d.error ->> 'code' = ANY (:waitsForSite)
         ORDER BY d.document_id FOR UPDATE OF d
       ), resumed AS (
         UPDATE delivery d SET ${transition('resume', { to: 'queued', due: 'now()' })}, error = NULL, attempts = 0,
           site_failures = 0
         FROM waiting WHERE d.id = waiting.id RETURNING d.id
       ), recorded AS (
         INSERT INTO delivery_step (delivery_id, step, outcome, detail)
         SELECT id, 'plan', 'queued', 'the site is connected and answers' FROM resumed
       ), site_job AS (
         SELECT ${addSiteWorker(':accountId::uuid', ':id::uuid')}
         WHERE EXISTS (SELECT 1 FROM resumed)
       )
       SELECT (SELECT count(*)::int FROM resumed) AS resumed, (SELECT count(*) FROM site_job)`,
      { id, accountId, waitsForSite: siteHoldCodes },
    ),
  )
  return rows[0]?.resumed ?? 0
}

/** Names one source of one account. */
interface SourceId {
  accountId: string
  id: string
}

/** That a delivery goes on, of rows that the relation `waiting` has. */
const RESUME_QUERY = `resumed AS (
  UPDATE delivery d SET ${transition('resume', { to: 'queued', due: 'now()' })}, error = NULL, attempts = 0
  FROM waiting WHERE d.id = waiting.id RETURNING d.id, d.account_id, d.site_id
), recorded AS (
  INSERT INTO delivery_step (delivery_id, step, outcome, detail)
  SELECT id, 'plan', 'queued', 'the upstream of its source has another address or key' FROM resumed
), site_jobs AS (
  SELECT ${addSiteWorker('account_id', 'site_id')}
  FROM (SELECT DISTINCT account_id, site_id FROM resumed ORDER BY account_id, site_id) AS due
)
SELECT (SELECT count(*)::int FROM resumed) AS resumed, (SELECT count(*) FROM site_jobs)`

const WAITS_FOR_SOURCE = `d.account_id = :accountId AND ${transitionAllowed('resume', 'd')} AND d.error ->> 'code' = 'upstream_refused'`

/**
 * Starts again what was held because the upstream of a source refused Galley: it has another address or key now.
 * In the transaction that stores those.
 *
 * @returns how many deliveries go on
 */
export async function resumeSource(database: RowSource, { accountId, id }: SourceId): Promise<number> {
  const { rows } = await database.query<{ resumed: number }>(
    named(
      `WITH waiting AS (
         SELECT d.id FROM delivery d
         WHERE ${WAITS_FOR_SOURCE} AND (SELECT e.source_id FROM event e WHERE e.id = d.wanted_event_id) = :id::uuid
         ORDER BY d.site_id, d.document_id FOR UPDATE OF d
       ), ${RESUME_QUERY}`,
      { accountId, id },
    ),
  )
  return rows[0]?.resumed ?? 0
}

/**
 * Starts one again that was held in the moment in which its source got another address or key: what was held until then was
 * started without it. To be called once it is stored as held.
 */
export async function resumeIfSourceRecovered(
  pool: Pool,
  { id, account_id: accountId }: { id: string; account_id: string },
): Promise<void> {
  // By a statement of its own, which waits for a change that is being stored: the next one then sees it.
  await pool.query(
    named(
      `SELECT FROM source WHERE id = (
         SELECT e.source_id FROM delivery d JOIN event e ON e.id = d.wanted_event_id WHERE d.id = :id) FOR SHARE`,
      { id },
    ),
  )
  await pool.query(
    named(
      `WITH waiting AS (
         SELECT d.id FROM delivery d
         WHERE d.id = :id AND ${WAITS_FOR_SOURCE} AND EXISTS (
           SELECT FROM event e JOIN source s ON s.id = e.source_id
           WHERE e.id = d.wanted_event_id AND s.upstream_trouble IS NULL)
         FOR UPDATE OF d
       ), ${RESUME_QUERY}`,
      { id, accountId },
    ),
  )
}

/**
 * Stops a site until its owner acts, and holds all that waits for it, with the same words.
 *
 * @param connectedAs what the site was spoken to with when it failed
 * @returns what was held; null where it has been connected anew since, or what it refused is not its setting any more: then
 *   the failure says nothing about it
 */
export async function stopForOwner(
  database: Queryable,
  site: SiteId,
  connectedAs: ConnectedCredentials,
  failure: Pick<GalleyError, 'code' | 'message'>,
): Promise<HeldLogEntry[] | null> {
  if (!(await stopSiteForOwner(database, site, connectedAs, failure))) return null
  return holdForOwner(database, site)
}

/**
 * Holds what waits for a site that waits for its owner, with the words of the site's trouble: also what came in the moment
 * the site was stopped.
 */
export async function holdForOwner(database: Queryable, { accountId, id }: SiteId): Promise<HeldLogEntry[]> {
  const { rows } = await database.query<HeldLogEntry>(
    named(
      `WITH stopped AS (
         SELECT id, account_id, trouble FROM site
         WHERE id = :id AND account_id = :accountId AND trouble IS NOT NULL AND paused_until IS NULL FOR UPDATE
       ), waiting AS (
         SELECT d.id, stopped.trouble FROM stopped
         JOIN delivery d ON d.site_id = stopped.id AND d.account_id = stopped.account_id AND ${transitionAllowed('stop', 'd')}
         ORDER BY d.document_id FOR UPDATE OF d
       ), held AS (
         UPDATE delivery d SET ${transition('stop', { to: 'held' })}, error = waiting.trouble || '{"step": "plan"}'
         FROM waiting WHERE d.id = waiting.id
         RETURNING d.id, d.document_id, waiting.trouble
       ), recorded AS (
         INSERT INTO delivery_step (delivery_id, step, outcome, detail)
         SELECT id, 'plan', 'held', (trouble ->> 'code') || ': ' || (trouble ->> 'message') FROM held
       )
       SELECT id AS delivery, document_id AS document, :id::uuid AS site, trouble ->> 'code' AS code FROM held`,
      { id, accountId },
    ),
  )
  return rows
}

/**
 * Pauses a site because a person wants it: from the moment that this is stored no delivery of it is claimed (claim.ts), and
 * what is under way comes to its end. Its health has no part in it. One that is paused already keeps its time.
 *
 * @returns whether there is such a site
 */
export async function pauseSiteManually(
  database: Queryable,
  { accountId, id }: SiteId,
  reason: string | null,
): Promise<boolean> {
  const { rowCount } = await database.query(
    named(
      `UPDATE site SET stopped_at = coalesce(stopped_at, now()), stop_reason = :reason, updated_at = now()
       WHERE account_id = :accountId AND id = :id`,
      { accountId, id, reason },
    ),
  )
  return rowCount !== 0
}

/**
 * Ends the pause of {@link pauseSiteManually}, and starts what has waited. A site in trouble, or one that waits for its owner,
 * stays that.
 *
 * @returns whether there is such a site
 */
export async function resumeSiteManually(database: Queryable, { accountId, id }: SiteId): Promise<boolean> {
  const { rowCount } = await database.query(
    named(
      `WITH resumed AS (
         UPDATE site SET stopped_at = NULL, stop_reason = NULL, updated_at = now()
         WHERE account_id = :accountId AND id = :id RETURNING account_id, id
       )
       SELECT ${addSiteWorker('account_id', 'id')} FROM resumed`,
      { accountId, id },
    ),
  )
  return rowCount !== 0
}
