import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import { mayTransition, transition } from '../ledger/transition.ts'
import type { DeliveryScope } from './filter.ts'
import { deliveryNotFound } from './view.ts'

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
    named(CANCEL, { id, accountId, siteIds }),
  )
  const [found] = rows
  if (found === undefined) throw deliveryNotFound(id)
  if (found.cancelled || found.was === 'cancelled') return
  throw refusal(found.was)
}

/** What was read may have changed when it is written: the row says so itself, under its lock. */
const CANCEL = `
  WITH found AS (
    SELECT d.id, d.status FROM delivery d
    WHERE d.id = :id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))
    FOR UPDATE
  ), cancelled AS (
    UPDATE delivery d SET ${transition('cancel', { to: 'cancelled' })}, error = NULL
    FROM found WHERE d.id = found.id AND ${mayTransition('cancel', 'd')}
    RETURNING d.id
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, 'plan', 'cancelled', NULL FROM cancelled
  )
  SELECT found.status AS was, cancelled.id IS NOT NULL AS cancelled FROM found LEFT JOIN cancelled USING (id)`

/** Why it is not cancelled. */
const refusal = (was: string): GalleyError =>
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
