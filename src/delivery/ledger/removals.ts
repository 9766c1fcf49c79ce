import type { Pool } from 'pg'
import { named } from '../../database/named.ts'

/** What stands on a site, and what it is there. */
export interface Standing {
  kind: 'post' | 'attachment'
  id: number
}

/** Minutes in which a site has done, or will not do, what it was asked for: PHP gives up long before. */
const UNDER_WAY_MINUTES = 10

/** A condition: nobody works on a delivery, and what is found on its site was not made for it in this moment. */
export const AT_REST = "status IN ('delivered', 'held', 'failed', 'cancelled')"

/**
 * Written before Galley looks once more whether another delivery has what it is about to delete. Whoever adopts something asks
 * {@link isBeingRemoved} after its delivery was claimed, so that of the two at least one hears of the other.
 *
 * @returns whether the delivery is at rest still, as it was with this fence; else nothing is to be removed
 */
export async function intendRemoval(
  pool: Pool,
  { id, fence }: { id: string; fence: number },
  { kind, id: number }: Standing,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    named(
      `INSERT INTO orphan_removal (kind, number, delivery_id, until)
       SELECT :kind, :number, id, now() + interval '${UNDER_WAY_MINUTES} minutes' FROM delivery
       WHERE id = :id AND fence = :fence AND ${AT_REST}
       ON CONFLICT (number, kind, delivery_id) DO UPDATE SET until = excluded.until`,
      { id, fence, kind, number },
    ),
  )
  return rowCount === 1
}

/** It is deleted, or stays. */
export async function endRemoval(
  pool: Pool,
  deliveryId: string,
  { kind, id: number }: Standing,
): Promise<void> {
  await pool.query(
    named(
      'DELETE FROM orphan_removal WHERE number = :number AND kind = :kind AND delivery_id = :deliveryId',
      { deliveryId, kind, number },
    ),
  )
}

/**
 * Whether this may be deleted in this moment, for a delivery of the same document: what is adopted now is perhaps gone before
 * it is filled, or after. Numbers are compared, not sites: one too many waits a few minutes.
 */
export async function isBeingRemoved(
  pool: Pool,
  deliveryId: string,
  { kind, id: number }: Standing,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    named(
      `SELECT 1 FROM orphan_removal r JOIN delivery other ON other.id = r.delivery_id
       JOIN delivery d ON d.document_id = other.document_id
       WHERE r.number = :number AND r.kind = :kind AND r.until > now() AND d.id = :deliveryId LIMIT 1`,
      { deliveryId, kind, number },
    ),
  )
  return rowCount !== 0
}
