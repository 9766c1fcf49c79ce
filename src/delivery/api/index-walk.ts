import type { Pool } from 'pg'
import { queryRows } from '../../database/statement.ts'
import {
  type DeliveryFilter,
  type DeliveryScope,
  deliveryCondition,
  hasWarningOf,
  ofBulk,
  severityIn,
  storedStatusesOf,
  waitingIn,
} from './filter.ts'

/**
 * Deliveries that match a filter are found along one index, in the order of the list, within a bound of rows. What the index cannot
 * say is asked of each row. Whoever asks is told that there may be more, and goes on from where the walk ended.
 */

export type Sort = 'newest' | 'oldest' | 'updated'

export const MAX_ROWS_READ = 10_000

/** Sites that are walked side by side, each in its own order; of more, the account's deliveries are walked. */
const MAX_SITE_WALKS = 200

/** A place in the order of a list. */
export interface CursorPosition {
  id: string
  /** `updated_at` as ISO 8601, where that is the order. */
  at: string | null
}

interface WalkRequest {
  filter: DeliveryFilter
  sort: Sort
  after?: CursorPosition | undefined
  most: number
}

/** A statement with rows of `id`, `at`, `fits` and `edge` in list order: behind the first edge nothing was seen yet. */
interface IndexPath {
  condition: string
  /** The condition holds for each of these values of a column, each of which is a walk of its own. */
  each?: WalkKeys
  /** Members of the filter that it says by itself. */
  says: readonly (keyof DeliveryFilter)[]
}

interface WalkKeys {
  column: string
  type: string
  values: readonly string[]
  /** Perhaps no row has one of them, however many there are. */
  rare?: boolean
}

/** The filter with the sites that it comes to, each to be walked by itself: asked for, with its label, visible. Null for all. */
async function resolveSites(
  pool: Pool,
  { accountId, siteIds }: DeliveryScope,
  { label, ...filter }: DeliveryFilter,
) {
  const known: (readonly string[] | null | undefined)[] = [filter.site_id, siteIds]
  if (label !== undefined) {
    const rows = await queryRows<{ id: string }>(
      pool,
      'SELECT id FROM site WHERE account_id = :accountId AND :label = ANY (labels)',
      { accountId, label },
    )
    known.push(rows.map(({ id }) => id))
  }
  const [first, ...rest] = known.filter((list) => list !== null && list !== undefined)
  if (first === undefined) return { filter, sites: null }
  const sites = intersection(first, rest)
  return { filter: { ...filter, site_id: sites }, sites }
}

function intersection(first: readonly string[], others: readonly (readonly string[])[]): string[] {
  const sets = others.map((list) => new Set(list))
  return [...new Set(first)].filter((one) => sets.every((set) => set.has(one)))
}

/** The way to what matches, in the order of a list: to `most` of it, and one more. */
export async function walkPage(
  pool: Pool,
  scope: DeliveryScope,
  { filter: asked, sort, after, most }: WalkRequest,
): Promise<{ sql: string; values: Record<string, unknown> }> {
  const { filter, sites } = await resolveSites(pool, scope, asked)
  const { sql: fits, values } = deliveryCondition(scope, filter)
  const way = chooseIndex(filter, sites, sort)
  const share = way.each
    ? rowsPerWalk(way.each.values.length, indexCoversFilter(way, filter), most + 1)
    : MAX_ROWS_READ
  const [direction, beyond] = sort === 'oldest' ? ['ASC', '>'] : ['DESC', '<']
  const byTime = sort === 'updated'
  const orderOf = (at: string, id: string) => `${byTime ? `${at} ${direction}, ` : ''}${id} ${direction}`
  const bounds = rangeBounds(filter, sort)
  if (after && byTime)
    bounds.push({
      of: '(d.updated_at, d.id)',
      than: beyond,
      value: '(:afterAt::timestamptz, :afterId::uuid)',
    })
  if (after && !byTime) {
    // The nearer of two: an index is entered by one, and `fits` asks for both.
    const far = bounds.findIndex(({ than }) => than[0] === beyond)
    bounds.splice(far, far < 0 ? 0 : 1, { of: 'd.id', than: beyond, value: ':afterId::uuid' })
  }
  const conditions = ['d.account_id = :accountId', way.condition]
  conditions.push(...(way.each ? keyConditions(way.each, bounds) : bounds.map(boundSql)))
  const order = `${way.each ? `${way.each.column} ${direction}, ` : ''}${orderOf('d.updated_at', 'd.id')}`
  const walked = `SELECT d.id, d.updated_at AS at, (${fits}) AS fits, row_number() OVER (ORDER BY ${order}) = ${share} AS edge
    FROM delivery d WHERE ${conditions.filter((one) => one !== '').join(' AND ')}
    ORDER BY ${order} LIMIT ${share}`
  const walks = way.each
    ? `SELECT walked.* FROM unnest(:each::${way.each.type}[]) AS one (key), LATERAL (${walked}) walked`
    : walked
  return {
    sql: `SELECT id, at, fits, edge FROM (${walks}) walk WHERE fits OR edge
      ORDER BY ${orderOf('at', 'id')} LIMIT ${most + 1}`,
    values: {
      ...values,
      ...(way.each && { each: way.each.values }),
      ...(after && { afterId: after.id, ...(byTime && { afterAt: after.at }) }),
    },
  }
}

/**
 * The rows of one key. As an equation, the key is no part of the order, and PostgreSQL may read all of the index of ids for a rare one.
 * Rare keys are compared together with the id: then it has to be the index that begins with them. With sites several begin.
 */
function keyConditions({ column, rare = false }: WalkKeys, bounds: readonly RangeBound[]): string[] {
  if (!rare) return [`${column} = one.key`, ...bounds.map(boundSql)]
  const sides = [
    { than: '>=', value: `'00000000-0000-0000-0000-000000000000'` },
    { than: '<=', value: `'ffffffff-ffff-ffff-ffff-ffffffffffff'` },
  ]
  const open = sides.filter(({ than }) => !bounds.some((bound) => bound.than[0] === than[0]))
  return [...bounds, ...open].map(({ than, value }) => `(${column}, d.id) ${than} (one.key, ${value})`)
}

/** Where a way leads to nothing but what matches, no more than is wanted is read of each. */
const rowsPerWalk = (walks: number, saysAll: boolean, wanted: number): number =>
  saysAll ? wanted : Math.max(Math.ceil(MAX_ROWS_READ / Math.max(walks, 1)), wanted)

const indexCoversFilter = ({ says }: IndexPath, filter: DeliveryFilter): boolean =>
  Object.entries(filter).every(
    ([name, value]) => value === undefined || says.includes(name as keyof DeliveryFilter),
  )

/**
 * Rows among which what matches is counted, along the same index: `fits`, and `columns`, SQL of `d` with names. One row more than
 * {@link MAX_ROWS_READ} tells that there is more. No row of another time is among them.
 */
export async function walkAll(
  pool: Pool,
  scope: DeliveryScope,
  asked: DeliveryFilter,
  columns: readonly string[] = [],
): Promise<{ sql: string; values: Record<string, unknown> }> {
  const { filter, sites } = await resolveSites(pool, scope, asked)
  const { sql: fits, values } = deliveryCondition(scope, filter)
  const { condition, each } = chooseIndex(filter, sites, 'newest')
  const bounds = rangeBounds(filter, 'newest')
  const conditions = ['d.account_id = :accountId', condition, ...bounds.map(boundSql)]
  if (filter.created_from !== undefined) conditions.push('d.created_at >= :createdFrom::timestamptz')
  if (filter.created_to !== undefined) conditions.push('d.created_at < :createdTo::timestamptz')
  if (each) conditions.push(`${each.column} = ANY (:each::${each.type}[])`)
  return {
    sql: `SELECT ${[`(${fits}) AS fits`, ...columns].join(', ')} FROM delivery d
      WHERE ${conditions.filter((one) => one !== '').join(' AND ')} ${each ? '' : 'ORDER BY d.id DESC'} LIMIT ${MAX_ROWS_READ + 1}`,
    values: { ...values, ...(each && { each: each.values }) },
  }
}

/** The index to go along: the first of these that the filter names. */
function chooseIndex(filter: DeliveryFilter, sites: readonly string[] | null, sort: Sort): IndexPath {
  const statuses = storedStatusesOf(filter)
  if (filter.delivery_id !== undefined)
    return { condition: 'd.id = ANY (:ofDeliveries::uuid[])', says: ['delivery_id'] }
  if (filter.bulk_id !== undefined) return { condition: ofBulk, says: ['bulk_id'] }
  if (filter.document_id !== undefined)
    return { condition: 'd.document_id = :ofDocument::uuid', says: ['document_id'] }
  // By when they changed there is one index, of all that the account has.
  if (sort === 'updated') return { condition: '', says: [] }
  if (filter.code?.length === 1)
    return { condition: `d.error IS NOT NULL AND d.error ->> 'code' = (:ofCodes::text[])[1]`, says: [] }
  if (filter.code !== undefined) {
    const each = { column: `d.error ->> 'code'`, type: 'text', values: filter.code, rare: true }
    return { condition: 'd.error IS NOT NULL', each, says: ['code'] }
  }
  const severity = severityIn(filter)
  if (severity !== undefined) return { condition: hasWarningOf(severity), says: ['severity'] }
  if (filter.post_status !== undefined && !filter.post_status.includes('publish')) {
    const each = { column: 'd.post_status', type: 'text', values: filter.post_status, rare: true }
    return { condition: `d.post_status <> 'publish'`, each, says: ['post_status'] }
  }
  if (sites !== null && sites.length <= MAX_SITE_WALKS) {
    const open = statuses !== undefined && !statuses.includes('delivered')
    const each = { column: 'd.site_id', type: 'uuid', values: sites }
    return { condition: open ? `d.status <> 'delivered'` : '', each, says: ['site_id'] }
  }
  if (statuses !== undefined) {
    const each = { column: 'd.status', type: 'text', values: statuses, rare: true }
    return {
      condition: '',
      each,
      says: waitingIn(filter) === undefined ? ['status', 'attention'] : ['attention'],
    }
  }
  if (filter.source_id !== undefined) return { condition: 'd.source_id = :ofSource::uuid', says: [] }
  return { condition: '', says: [] }
}

interface RangeBound {
  of: string
  than: string
  value: string
}

const boundSql = ({ of, than, value }: RangeBound): string => `${of} ${than} ${value}`

/** What a filter of time says of the order, so that the walk begins and ends there. */
function rangeBounds(filter: DeliveryFilter, sort: Sort): RangeBound[] {
  const [of, from, to] =
    sort === 'updated'
      ? [
          'd.updated_at',
          filter.updated_from && ':updatedFrom::timestamptz',
          filter.updated_to && ':updatedTo::timestamptz',
        ]
      : ['d.id', filter.created_from && ':idFrom::uuid', filter.created_to && ':idTo::uuid']
  return [...(from ? [{ of, than: '>=', value: from }] : []), ...(to ? [{ of, than: '<', value: to }] : [])]
}
