import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import type { Page } from '../paging.ts'
import { type SiteFilter, type SiteScope, siteCondition } from './filter.ts'
import { type SiteSort, siteOrder } from './order.ts'
import type { SiteView } from './schema.ts'
import { siteView } from './view.ts'

export interface SiteListRequest {
  filter: SiteFilter
  /** By id if left out. */
  sort?: SiteSort | undefined
  limit: number
  /** Of the page before, in the same order. */
  cursor?: string | undefined
}

/**
 * A page of the sites that match.
 *
 * @throws GalleyError 422 `CURSOR_UNFIT`
 */
export async function listSites(
  { prisma, pool }: Pick<Database, 'prisma' | 'pool'>,
  scope: SiteScope,
  { filter, sort, limit, cursor }: SiteListRequest,
): Promise<Page<SiteView>> {
  const { sql, values } = siteCondition(scope, filter)
  const order = siteOrder(sort, cursor)
  const { rows: found } = await pool.query<{ id: string; key: unknown }>(
    named(
      `SELECT s.id, ${order.key} AS key FROM site s WHERE ${sql} AND ${order.after}
       ORDER BY ${order.orderBy} LIMIT ${limit + 1}`,
      { ...values, ...order.values },
    ),
  )
  const page = found.slice(0, limit)
  const rows = await prisma.site.findMany({
    where: { accountId: scope.accountId, id: { in: page.map(({ id }) => id) } },
  })
  const views = new Map(rows.map((row) => [row.id, siteView(row)]))
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    items: page.flatMap(({ id }) => views.get(id) ?? []),
    nextCursor: last ? order.cursorOf(last) : null,
  }
}

/** How many match: sites are few enough to be counted. */
export async function countSites(
  { pool }: Pick<Database, 'pool'>,
  scope: SiteScope,
  filter: SiteFilter,
): Promise<number> {
  const { sql, values } = siteCondition(scope, filter)
  const { rows } = await pool.query<{ count: number }>(
    named(`SELECT count(*)::int AS count FROM site s WHERE ${sql}`, values),
  )
  return rows[0]?.count ?? 0
}
