import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { type SiteFilter, type SiteScope, siteCondition } from './filter.ts'
import type { SiteView } from './schema.ts'
import { siteView } from './view.ts'

/** The sites that match, by id. */
export async function listSites(
  { prisma, pool }: Pick<Database, 'prisma' | 'pool'>,
  scope: SiteScope,
  { filter, limit, cursor }: PageRequest & { filter: SiteFilter },
): Promise<Page<SiteView>> {
  const { sql, values } = siteCondition(scope, filter)
  const { rows: found } = await pool.query<{ id: string }>(
    named(
      `SELECT s.id FROM site s WHERE ${sql} AND (:after::uuid IS NULL OR s.id > :after) ORDER BY s.id LIMIT ${limit + 1}`,
      { ...values, after: cursor ?? null },
    ),
  )
  const { items, nextCursor } = toPage(found, limit)
  const rows = await prisma.site.findMany({
    where: { accountId: scope.accountId, id: { in: items.map(({ id }) => id) } },
    orderBy: { id: 'asc' },
  })
  return { items: rows.map(siteView), nextCursor }
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
