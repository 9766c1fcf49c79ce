import type { Pool } from 'pg'
import { isTaken } from '../database/sqlstates.ts'
import { GalleyError } from '../errors.ts'
import { deliveryNotFound } from './view.ts'
import { queuePump } from './wake.ts'

export interface RetryRequest {
  accountId: string
  id: string
  /** Sends the delivery to another connected site. Only possible while it has no post. */
  siteId?: string
  /** Writes over what a person has changed on the post. */
  overwrite?: boolean
}

interface Current {
  site_id: string
  status: string
  post_id: number | null
  reserve_intent_at: Date | null
  thinned: boolean
}

/**
 * Queues a delivery again at once: one that failed or is held, or one that waits for its next attempt. A site in
 * trouble is tried with it.
 *
 * @throws GalleyError 404 `DELIVERY_NOT_FOUND`, 409 `DELIVERY_UNDER_WAY`, 409 `DELIVERY_HAS_POST`,
 *   409 `DOCUMENT_THINNED`, 422 `SITE_UNKNOWN`, 409 `DELIVERY_EXISTS`
 */
export async function retryDelivery(
  { pool }: { pool: Pool },
  { accountId, id, siteId, overwrite = false }: RetryRequest,
): Promise<void> {
  const current = await read(pool, accountId, id)
  if (current.status === 'delivering')
    throw conflict('DELIVERY_UNDER_WAY', 'This delivery is under way; wait for it to end.')
  if (current.thinned)
    throw conflict(
      'DOCUMENT_THINNED',
      'The document of this delivery is older than GALLEY_RETENTION_DAYS and no longer kept. Send it again.',
    )
  const target = siteId ?? current.site_id
  await requireSite(pool, accountId, target)
  if (target !== current.site_id && (current.post_id !== null || current.reserve_intent_at !== null))
    throw conflict(
      'DELIVERY_HAS_POST',
      'This delivery may already have a post on its site and cannot move to another. Send the document again for the other site.',
    )
  await requeue(pool, { accountId, id, target, overwrite })
  await queuePump(pool, { accountId, id: target })
}

async function read(pool: Pool, accountId: string, id: string): Promise<Current> {
  const { rows } = await pool.query<Current>(
    `SELECT d.site_id, d.status, d.post_id, d.reserve_intent_at, e.body IS NULL AS thinned
     FROM delivery d LEFT JOIN event e ON e.id = d.wanted_event_id WHERE d.id = $1 AND d.account_id = $2`,
    [id, accountId],
  )
  const current = rows[0]
  if (current === undefined) throw deliveryNotFound(id)
  return current
}

async function requireSite(pool: Pool, accountId: string, siteId: string): Promise<void> {
  const { rowCount } = await pool.query('SELECT 1 FROM site WHERE id = $1 AND account_id = $2', [
    siteId,
    accountId,
  ])
  if (rowCount === 0)
    throw new GalleyError({
      code: 'SITE_UNKNOWN',
      message: `Site ${siteId} is not connected. Connect it first, or name another site in "site_id".`,
      httpStatus: 422,
    })
}

async function requeue(
  pool: Pool,
  { accountId, id, target, overwrite }: { accountId: string; id: string; target: string; overwrite: boolean },
): Promise<void> {
  try {
    const { rowCount } = await pool.query(
      `WITH retried AS (
         UPDATE delivery SET status = 'queued', due_at = now(), attempts = 0, error = NULL, site_id = $2,
           site_failed_at = NULL, site_failures = 0, answered = CASE WHEN $3 THEN answered || '{"overwrite": true}' ELSE answered END, updated_at = now()
         WHERE id = $1 AND account_id = $5 AND status <> 'delivering' RETURNING id
       ), probed AS (
         -- together, or the site's pump would hold it again
         UPDATE site SET paused_until = now()
         WHERE id = $2 AND account_id = $5 AND trouble IS NOT NULL AND EXISTS (SELECT 1 FROM retried)
       )
       INSERT INTO delivery_step (delivery_id, step, outcome, detail)
       SELECT id, 'plan', 'retried', $4 FROM retried`,
      [id, target, overwrite, overwrite ? 'overwriting changes' : null, accountId],
    )
    if (rowCount === 0)
      throw conflict('DELIVERY_UNDER_WAY', 'This delivery is under way; wait for it to end.')
  } catch (error) {
    if (isTaken(error))
      throw conflict('DELIVERY_EXISTS', `Site ${target} has a delivery of this document already.`)
    throw error
  }
}

const conflict = (code: string, message: string): GalleyError =>
  new GalleyError({ code, message, httpStatus: 409 })
