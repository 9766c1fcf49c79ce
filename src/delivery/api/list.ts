import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { cursorUnfit, type Page } from '../../paging.ts'
import type { DeliveryFilter, DeliveryScope } from './filter.ts'
import { type DeliveryView, readDeliveries, type ViewContext } from './view.ts'
import { type Place, type Sort, walkTo } from './walk.ts'

export interface DeliveryListRequest {
  filter: DeliveryFilter
  sort: Sort
  limit: number
  /** Of the page before, in the same order. */
  cursor?: string | undefined
}

/**
 * A page of the deliveries that match. It may have fewer than `limit`, or none, and yet a cursor: where matches are rare,
 * so many rows are looked at for a page, and the next one goes on from there.
 *
 * By creation, whatever changes meanwhile is neither lost nor doubled: an id never changes. By change, one that changes
 * meanwhile moves to the front, and is seen there by whoever begins anew.
 *
 * @throws GalleyError 422 `CURSOR_UNFIT`
 */
export async function listDeliveries(
  context: ViewContext,
  scope: DeliveryScope,
  { filter, sort, limit, cursor }: DeliveryListRequest,
): Promise<Page<DeliveryView>> {
  const { ids, nextCursor } = await findDeliveries(context.pool, scope, { filter, sort, limit, cursor })
  return { items: await readDeliveries(context, scope, ids), nextCursor }
}

async function findDeliveries(
  pool: Pool,
  scope: DeliveryScope,
  { filter, sort, limit, cursor }: DeliveryListRequest,
): Promise<{ ids: string[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : placeOf(cursor, sort)
  const { sql, values } = await walkTo(pool, scope, { filter, sort, after, most: limit })
  const { rows } = await pool.query<{ id: string; at: Date; fits: boolean; edge: boolean }>(
    named(sql, values),
  )
  const ids: string[] = []
  let last: string | null = null
  for (const { id, at, fits, edge } of rows) {
    if (ids.length === limit) return { ids, nextCursor: last }
    if (fits) ids.push(id)
    last = sort === 'updated' ? `${at.toISOString()}_${id}` : id
    if (edge) return { ids, nextCursor: last }
  }
  return { ids, nextCursor: null }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** @throws GalleyError 422 */
function placeOf(cursor: string, sort: Sort): Place {
  const [at, id] = sort === 'updated' ? cursor.split('_') : [null, cursor]
  const fits = UUID.test(id ?? '') && (at === null || isInstant(at ?? ''))
  if (fits) return { id: id as string, at: at as string | null }
  throw cursorUnfit()
}

/** Whether it is a time as a cursor has one; JavaScript takes much for a date that PostgreSQL does not. */
function isInstant(text: string): boolean {
  const ms = Date.parse(text)
  return /^[1-9]/.test(text) && !Number.isNaN(ms) && new Date(ms).toISOString() === text
}
