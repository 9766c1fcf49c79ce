import { named } from '../../database/named.ts'
import { isTaken } from '../../database/sqlstates.ts'
import type { Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import { addSiteWorker } from '../jobs.ts'
import { mayTransition } from '../ledger/transition.ts'
import { HAS_DOCUMENT, LET_PROBE, REQUEUED } from './requeued.ts'
import { deliveryNotFound } from './view.ts'

export interface RetryRequest {
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
      named(REQUEUE, { id, accountId, siteIds, siteId: siteId ?? null, overwrite, statusOnly, note }),
    )
    if (rowCount === 0) throw await reason(pool, { accountId, siteIds, id, siteId })
  } catch (error) {
    if (isTaken(error))
      throw conflict('DELIVERY_EXISTS', `Site ${siteId} has a delivery of this document already.`)
    throw error
  }
}

/**
 * All that must hold stands where it is written: what was looked at before may have changed since. A person's leave to
 * write over a post, or to set its status alone, is for that post on that site. The site is locked first (lockSite).
 */
const REQUEUE = `
  WITH target AS (
    SELECT site.account_id, site.id FROM site
    WHERE site.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR site.id = ANY (:siteIds))
      AND site.id = coalesce(:siteId, (SELECT site_id FROM delivery WHERE id = :id AND account_id = :accountId))
    FOR UPDATE
  ), retried AS (
    UPDATE delivery d SET ${REQUEUED}, site_id = target.id,
      post_type = CASE WHEN d.site_id = target.id THEN d.post_type END
    FROM target
    WHERE d.id = :id AND d.account_id = :accountId AND ${mayTransition('retry', 'd')}
      AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))
      AND (d.site_id = target.id OR (:siteId::uuid IS NOT NULL AND d.post_id IS NULL AND d.reserve_intent_at IS NULL))
      AND ${HAS_DOCUMENT}
    RETURNING d.id, d.account_id, d.site_id
  ), probed AS (
    ${LET_PROBE}
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail)
    SELECT id, 'plan', 'retried', :note FROM retried
  )
  SELECT ${addSiteWorker('account_id', 'site_id')} FROM retried`

interface Current {
  status: string
  has_site: boolean
  relocates: boolean
  purged: boolean
}

/** Why a delivery cannot be retried. */
async function reason(
  pool: Queryable,
  { accountId, siteIds, id, siteId }: Omit<RetryRequest, 'overwrite' | 'statusOnly'>,
): Promise<GalleyError> {
  const { rows } = await pool.query<Current & { target: string }>(
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
    return conflict(
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
    return conflict(
      'DELIVERY_HAS_POST',
      'This delivery may already have a post on its site and cannot move to another. Send the document again for the other site.',
    )
  return conflict('DELIVERY_UNDER_WAY', 'This delivery is under way; wait for it to end.')
}

const conflict = (code: string, message: string): GalleyError =>
  new GalleyError({ code, message, httpStatus: 409 })
