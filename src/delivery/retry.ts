import type { Pool } from 'pg'
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
}

/**
 * Queues a delivery again at once: one that failed or is held, or one that waits for its next attempt.
 *
 * @throws GalleyError 404 `DELIVERY_NOT_FOUND`, 409 `DELIVERY_UNDER_WAY`, 409 `DELIVERY_HAS_POST`,
 *   422 `SITE_UNKNOWN`, 409 `DELIVERY_EXISTS`
 */
export async function retryDelivery(
  { pool }: { pool: Pool },
  { accountId, id, siteId, overwrite = false }: RetryRequest,
): Promise<void> {
  const current = await read(pool, accountId, id)
  if (current.status === 'delivering')
    throw conflict('DELIVERY_UNDER_WAY', 'This delivery is under way; wait for it to end.')
  const target = siteId ?? current.site_id
  await requireSite(pool, accountId, target)
  if (target !== current.site_id && (current.post_id !== null || current.reserve_intent_at !== null))
    throw conflict(
      'DELIVERY_HAS_POST',
      'This delivery may already have a post on its site and cannot move to another. Send the document again for the other site.',
    )
  await requeue(pool, { id, target, overwrite })
  await queuePump(pool, target)
}

async function read(pool: Pool, accountId: string, id: string): Promise<Current> {
  const { rows } = await pool.query<Current>(
    'SELECT site_id, status, post_id, reserve_intent_at FROM delivery WHERE id = $1 AND account_id = $2',
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
  { id, target, overwrite }: { id: string; target: string; overwrite: boolean },
): Promise<void> {
  try {
    const { rowCount } = await pool.query(
      `WITH retried AS (
         UPDATE delivery SET status = 'queued', due_at = now(), attempts = 0, error = NULL, site_id = $2,
           site_failed_at = NULL, answered = CASE WHEN $3 THEN NULL ELSE answered END, updated_at = now()
         WHERE id = $1 AND status <> 'delivering' RETURNING id
       )
       INSERT INTO delivery_step (delivery_id, step, outcome, detail)
       SELECT id, 'plan', 'retried', $4 FROM retried`,
      [id, target, overwrite, overwrite ? 'overwriting changes' : null],
    )
    if (rowCount === 0)
      throw conflict('DELIVERY_UNDER_WAY', 'This delivery is under way; wait for it to end.')
  } catch (error) {
    if (isUniqueViolation(error))
      throw conflict('DELIVERY_EXISTS', `Site ${target} has a delivery of this document already.`)
    throw error
  }
}

const conflict = (code: string, message: string): GalleyError =>
  new GalleyError({ code, message, httpStatus: 409 })

const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'
