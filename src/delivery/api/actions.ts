import { isUniqueViolation } from '../../database/errors.ts'
import { named } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import { addSiteWorker, siteWorkerQueued } from '../jobs.ts'
import { transition, transitionAllowed } from '../ledger/state.ts'
import { deliveryNotFound } from './deliveries.ts'
import type { DeliveryScope } from './filter.ts'

// Parts of the statements by which a person has deliveries tried again: one (delivery/api/actions.ts), and many together (delivery/api/actions.ts).

/**
 * Assignments of an UPDATE of `d`. A person's leave to write over a post (`:overwrite`), or to set its status alone
 * (`:statusOnly`), is for that post on that site.
 */
const SET_REQUEUED = `${transition('retry', { to: 'queued', due: 'now()' })}, attempts = 0, error = NULL,
  site_failed_at = NULL, site_failures = 0,
  answered = CASE WHEN NOT (:overwrite OR :statusOnly) OR d.post_id IS NULL THEN d.answered
    ELSE d.answered || jsonb_build_object('overwrite',
      jsonb_build_object('siteId', d.site_id, 'postId', d.post_id, 'statusOnly', :statusOnly::boolean)) END`

/** What `d` is to be made from is still kept. */
const HAS_DOCUMENT =
  'EXISTS (SELECT FROM event WHERE event.id = d.wanted_event_id AND event.body IS NOT NULL)'

/** Sites in trouble of what was `retried` are tried with it: in the same statement, or the site's worker would hold it again. */
const ALLOW_PROBE = `UPDATE site SET paused_until = now() FROM retried
    WHERE site.account_id = retried.account_id AND site.id = retried.site_id AND site.trouble IS NOT NULL`

interface RetryRequest {
  accountId: string
  /** The only sites that may be seen, before and after; null for all. */
  siteIds: string[] | null
  id: string
  /** Sends the delivery to another connected site. Only possible while it has no post. */
  siteId?: string
  /** Writes over what a person has changed on the post. */
  overwrite?: boolean
  /** Sets the status of the post alone, and leaves what a person has changed. */
  statusOnly?: boolean
}

/**
 * Queues a delivery again at once: one that failed or is held, or one that waits for its next attempt. A site in
 * trouble is tried with it.
 *
 * @throws GalleyError 404 `DELIVERY_NOT_FOUND`, 409 `DELIVERY_UNDER_WAY`, 409 `DELIVERY_HAS_POST`,
 *   409 `DOCUMENT_THINNED`, 422 `SITE_UNKNOWN`, 409 `DELIVERY_EXISTS`
 */
export async function retryDelivery(
  { pool }: { pool: Queryable },
  { accountId, siteIds, id, siteId, overwrite = false, statusOnly = false }: RetryRequest,
): Promise<void> {
  try {
    const note = overwrite ? 'overwriting changes' : statusOnly ? 'setting the status alone' : null
    const { rowCount } = await pool.query(
      named(RETRY_ONE, { id, accountId, siteIds, siteId: siteId ?? null, overwrite, statusOnly, note }),
    )
    if (rowCount === 0) throw await whyNotRetried(pool, { accountId, siteIds, id, siteId })
  } catch (error) {
    if (isUniqueViolation(error))
      throw retryConflict('DELIVERY_EXISTS', `Site ${siteId} has a delivery of this document already.`)
    throw error
  }
}

/**
 * All that must hold stands where it is written: what was looked at before may have changed since. A person's leave to
 * write over a post, or to set its status alone, is for that post on that site. The site is locked first (lockSite).
 */
const RETRY_ONE = `
  WITH target AS (
    SELECT site.account_id, site.id FROM site
    WHERE site.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR site.id = ANY (:siteIds))
      AND site.id = coalesce(:siteId, (SELECT site_id FROM delivery WHERE id = :id AND account_id = :accountId))
    FOR UPDATE
  ), retried AS (
    UPDATE delivery d SET ${SET_REQUEUED}, site_id = target.id,
      post_type = CASE WHEN d.site_id = target.id THEN d.post_type END
    FROM target
    WHERE d.id = :id AND d.account_id = :accountId AND ${transitionAllowed('retry', 'd')}
      AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))
      AND (d.site_id = target.id OR (:siteId::uuid IS NOT NULL AND d.post_id IS NULL AND d.reserve_intent_at IS NULL))
      AND ${HAS_DOCUMENT}
    RETURNING d.id, d.account_id, d.site_id
  ), probed AS (
    ${ALLOW_PROBE}
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail)
    SELECT id, 'plan', 'retried', :note FROM retried
  )
  SELECT ${addSiteWorker('account_id', 'site_id')} FROM retried`

interface CurrentDelivery {
  status: string
  has_site: boolean
  relocates: boolean
  purged: boolean
}

/** Why a delivery cannot be retried. */
async function whyNotRetried(
  pool: Queryable,
  { accountId, siteIds, id, siteId }: Omit<RetryRequest, 'overwrite' | 'statusOnly'>,
): Promise<GalleyError> {
  const { rows } = await pool.query<CurrentDelivery & { target: string }>(
    named(
      `SELECT d.status, site.id IS NOT NULL AS has_site, coalesce(:siteId, d.site_id) AS target,
         e.body IS NULL AS purged,
         coalesce(:siteId <> d.site_id, false) AND (d.post_id IS NOT NULL OR d.reserve_intent_at IS NOT NULL) AS relocates
       FROM delivery d LEFT JOIN event e ON e.id = d.wanted_event_id
       LEFT JOIN site ON site.account_id = d.account_id AND site.id = coalesce(:siteId, d.site_id)
         AND (:siteIds::uuid[] IS NULL OR site.id = ANY (:siteIds))
       WHERE d.id = :id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))`,
      { id, accountId, siteIds, siteId: siteId ?? null },
    ),
  )
  const current = rows[0]
  if (current === undefined) return deliveryNotFound(id)
  if (current.status !== 'delivering' && current.purged)
    return retryConflict(
      'DOCUMENT_THINNED',
      'The document of this delivery is older than GALLEY_RETENTION_DAYS and no longer kept. Send it again.',
    )
  if (!current.has_site)
    return new GalleyError({
      code: 'SITE_UNKNOWN',
      message: `Site ${current.target} is not connected. Connect it first, or name another site in "site_id".`,
      httpStatus: 422,
    })
  if (current.relocates)
    return retryConflict(
      'DELIVERY_HAS_POST',
      'This delivery may already have a post on its site and cannot move to another. Send the document again for the other site.',
    )
  return retryConflict('DELIVERY_UNDER_WAY', 'This delivery is under way; wait for it to end.')
}

const retryConflict = (code: string, message: string): GalleyError =>
  new GalleyError({ code, message, httpStatus: 409 })

/**
 * Cancels a delivery that waits or has failed: nothing but a retry or a newer version of its document brings it back. What
 * an earlier attempt has left on the site stays there. One that is cancelled already stays so.
 *
 * @throws GalleyError 404 `DELIVERY_NOT_FOUND`, 409 `DELIVERY_UNDER_WAY`, 409 `DELIVERY_DONE`
 */
export async function cancelDelivery(
  { pool }: { pool: Queryable },
  { accountId, siteIds, id }: DeliveryScope & { id: string },
): Promise<void> {
  const { rows } = await pool.query<{ was: string; cancelled: boolean }>(
    named(CANCEL_ONE, { id, accountId, siteIds }),
  )
  const [found] = rows
  if (found === undefined) throw deliveryNotFound(id)
  if (found.cancelled || found.was === 'cancelled') return
  throw cancelConflict(found.was)
}

/** What was read may have changed when it is written: the row says so itself, under its lock. */
const CANCEL_ONE = `
  WITH found AS (
    SELECT d.id, d.status FROM delivery d
    WHERE d.id = :id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))
    FOR UPDATE
  ), cancelled AS (
    UPDATE delivery d SET ${transition('cancel', { to: 'cancelled' })}, error = NULL
    FROM found WHERE d.id = found.id AND ${transitionAllowed('cancel', 'd')}
    RETURNING d.id
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, 'plan', 'cancelled', NULL FROM cancelled
  )
  SELECT found.status AS was, cancelled.id IS NOT NULL AS cancelled FROM found LEFT JOIN cancelled USING (id)`

/** Why it is not cancelled. */
const cancelConflict = (was: string): GalleyError =>
  was === 'delivered'
    ? new GalleyError({
        code: 'DELIVERY_DONE',
        httpStatus: 409,
        message: 'This delivery has ended, and its post stays. Remove the post on the site itself.',
      })
    : new GalleyError({
        code: 'DELIVERY_UNDER_WAY',
        httpStatus: 409,
        message: 'This delivery is under way and cannot be cancelled. Wait a moment for it to end.',
      })

// Many deliveries in one statement and one commit. Each is moved under the same conditions as alone; why one was not, the
// call for a single one says. Rows are locked in the order of lockSite.

type BatchRequest = DeliveryScope & { ids: readonly string[] }

/**
 * Queues deliveries again, as `retryDelivery` does.
 *
 * @returns the ids of those that were
 */
export async function retryMany(
  database: Queryable,
  { accountId, siteIds, ids, overwrite }: BatchRequest & { overwrite: boolean },
): Promise<ReadonlySet<string>> {
  const note = overwrite ? 'overwriting changes' : null
  return returnedIds(database, RETRY_MANY, { accountId, siteIds, ids, overwrite, statusOnly: false, note })
}

/** Cancels deliveries, as `cancelDelivery` does. @returns the ids of those that were */
export const cancelMany = (
  database: Queryable,
  { accountId, siteIds, ids }: BatchRequest,
): Promise<ReadonlySet<string>> => returnedIds(database, CANCEL_MANY, { accountId, siteIds, ids })

async function returnedIds(
  database: Queryable,
  statement: string,
  values: Record<string, unknown>,
): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ id: string }>(named(statement, values))
  return new Set(rows.map(({ id }) => id))
}

const SELECTED = `d.account_id = :accountId AND d.id = ANY (:ids::uuid[])
  AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))`

const RETRY_MANY = `
  WITH target AS (
    SELECT site.account_id, site.id FROM site
    WHERE site.account_id = :accountId AND site.id = ANY (ARRAY(SELECT d.site_id FROM delivery d WHERE ${SELECTED}))
    ORDER BY site.id FOR UPDATE
  ), locked AS (
    SELECT d.id FROM delivery d
    WHERE ${SELECTED} AND d.site_id = ANY (ARRAY(SELECT id FROM target)) AND ${transitionAllowed('retry', 'd')} AND ${HAS_DOCUMENT}
    ORDER BY d.site_id, d.document_id FOR UPDATE OF d
  ), retried AS (
    UPDATE delivery d SET ${SET_REQUEUED} FROM locked WHERE d.id = locked.id
    RETURNING d.id, d.account_id, d.site_id
  ), probed AS (
    ${ALLOW_PROBE}
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, 'plan', 'retried', :note FROM retried
  ), site_jobs AS (
    SELECT ${addSiteWorker('account_id', 'site_id')}
    FROM (SELECT DISTINCT account_id, site_id FROM retried ORDER BY account_id, site_id) AS due
    WHERE NOT ${siteWorkerQueued('due.account_id', 'due.site_id')}
  )
  SELECT id FROM retried, (SELECT count(*) FROM site_jobs) AS queued`

const CANCEL_MANY = `
  WITH locked AS (
    SELECT d.id FROM delivery d WHERE ${SELECTED} AND ${transitionAllowed('cancel', 'd')}
    ORDER BY d.site_id, d.document_id FOR UPDATE
  ), cancelled AS (
    UPDATE delivery d SET ${transition('cancel', { to: 'cancelled' })}, error = NULL FROM locked WHERE d.id = locked.id
    RETURNING d.id
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, 'plan', 'cancelled', NULL FROM cancelled
  )
  SELECT id FROM cancelled`
