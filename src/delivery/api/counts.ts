import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { type DeliveryStatus, deliveryStatuses } from '../ledger/row.ts'
import { type DeliveryFilter, type DeliveryScope, statusesOf } from './filter.ts'
import { MOST_READ, walkAll } from './walk.ts'

/** How many match. Exact, unless `more`: then so many at least, since not all were looked at. */
export interface Count {
  count: number
  more: boolean
}

/** How many match a filter. */
export async function countDeliveries(
  pool: Pool,
  scope: DeliveryScope,
  filter: DeliveryFilter,
): Promise<Count> {
  const { sql, values } = await walkAll(pool, scope, filter)
  const { rows } = await pool.query<{ matching: number; read: number }>(
    named(
      `SELECT count(*) FILTER (WHERE fits)::int AS matching, count(*)::int AS read FROM (${sql}) walk`,
      values,
    ),
  )
  const { matching = 0, read = 0 } = rows[0] ?? {}
  return { count: Math.min(matching, MOST_READ), more: read > MOST_READ }
}

/** How many match, by what became of them. */
export async function countByStatus(
  pool: Pool,
  scope: DeliveryScope,
  filter: DeliveryFilter,
): Promise<Record<DeliveryStatus, Count>> {
  const counts = Object.fromEntries(deliveryStatuses.map((status) => [status, { count: 0, more: false }]))
  // One after the other: a connection is all that this takes.
  for (const status of statusesOf(filter) ?? deliveryStatuses)
    counts[status] = await countDeliveries(pool, scope, { ...filter, attention: undefined, status: [status] })
  return counts as Record<DeliveryStatus, Count>
}
