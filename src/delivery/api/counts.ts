import type { Pool } from 'pg'
import { isoInstant, queryRows } from '../../database/statement.ts'
import { groupBy } from '../../lib/group-by.ts'
import { pluralize } from '../../lib/text.ts'
import { adviceFor, needsReconnect, withoutAdvice } from '../ledger/failure.ts'
import { type ShownStatus, shownStatuses, shownStatusSql } from '../ledger/state.ts'
import {
  type DeliveryFilter,
  type DeliveryScope,
  deliveryCondition,
  needsAttention,
  statusesOf,
} from './filter.ts'
import { MAX_ROWS_READ, walkAll } from './index-walk.ts'
import {
  type BoundedCount,
  type Cause,
  type HourlyCounts,
  MAX_NAMED_SITES,
  type PostCounts,
  type SiteDeliverySummary,
} from './schema.ts'

export async function countDeliveries(
  pool: Pool,
  scope: DeliveryScope,
  filter: DeliveryFilter,
): Promise<BoundedCount> {
  const { sql, values } = await walkAll(pool, scope, filter)
  const rows = await queryRows<{ matching: number; read: number }>(
    pool,
    `SELECT count(*) FILTER (WHERE fits)::int AS matching, count(*)::int AS read FROM (${sql}) walk`,
    values,
  )
  const { matching = 0, read = 0 } = rows[0] ?? {}
  return { count: Math.min(matching, MAX_ROWS_READ), more: read > MAX_ROWS_READ }
}

/** How many match, by what became of them. */
export async function countByStatus(
  pool: Pool,
  scope: DeliveryScope,
  filter: DeliveryFilter,
): Promise<Record<ShownStatus, BoundedCount>> {
  const counts = Object.fromEntries(shownStatuses.map((status) => [status, { count: 0, more: false }]))
  // One after the other: a connection is all that this takes.
  for (const status of statusesOf(filter) ?? shownStatuses)
    counts[status] = await countDeliveries(pool, scope, { ...filter, attention: undefined, status: [status] })
  return counts as Record<ShownStatus, BoundedCount>
}

const IN_REVIEW: readonly string[] = ['draft', 'pending']

/** Of those that were delivered and match, the posts that have losses, and those that wait for review. */
export async function countPosts(
  pool: Pool,
  scope: DeliveryScope,
  filter: DeliveryFilter,
): Promise<{ losses: PostCounts; review: PostCounts }> {
  const status = (statusesOf(filter) ?? shownStatuses).filter((one) => one === 'delivered')
  const delivered: DeliveryFilter = { ...filter, attention: undefined, status }
  const post_status = (filter.post_status ?? IN_REVIEW).filter((one) => IN_REVIEW.includes(one))
  return {
    losses: await countBySite(pool, scope, { ...delivered, severity: 'loss' }),
    review: await countBySite(pool, scope, { ...delivered, post_status }),
  }
}

async function countBySite(pool: Pool, scope: DeliveryScope, filter: DeliveryFilter): Promise<PostCounts> {
  const { sql, values } = await walkAll(pool, scope, filter, ['d.site_id'])
  const rows = await queryRows<PostCounts['by_site'][number] & { read: number }>(
    pool,
    `SELECT site_id AS id, site.name, count, read FROM (
       SELECT site_id, count(*) FILTER (WHERE fits)::int AS count, count(*)::int AS read FROM (${sql}) walk GROUP BY site_id
     ) found LEFT JOIN site ON site.account_id = :accountId AND site.id = site_id ORDER BY count DESC, site_id`,
    values,
  )
  const sites = rows.filter(({ count }) => count > 0)
  return {
    posts: sites.reduce((sum, { count }) => sum + count, 0),
    sites: sites.length,
    more: rows.reduce((sum, { read }) => sum + read, 0) > MAX_ROWS_READ,
    by_site: sites.slice(0, MAX_NAMED_SITES).map(({ id, name, count }) => ({ id, name, count })),
  }
}

const HOUR_MS = 60 * 60_000

/** The time from which deliveries are counted, and the beginning of each span; hours from that time where left out. */
type SpanFilter = DeliveryFilter & { created_from: string; begins?: string[] | undefined }

type SpanCount = HourlyCounts['hours'][number]

const MAX_SITES_SHOWN = 8

/** Of a span and a status: of all sites, or of one. */
interface SpanRow {
  span: number
  site_id: string | null
  name: string | null
  status: ShownStatus
  count: number
}

/** Counts what matches by the span in which it was received and by status: of all sites, and of those with the most trouble. */
export async function countByHour(
  pool: Pool,
  scope: DeliveryScope,
  { begins, ...filter }: SpanFilter,
): Promise<HourlyCounts> {
  const matching = deliveryCondition(scope, filter)
  const values = {
    ...matching.values,
    ...(begins === undefined ? { beginning: filter.created_from } : { begins }),
  }
  const span =
    begins === undefined
      ? `floor(date_part('epoch', d.created_at - :beginning::timestamptz) / 3600)::int`
      : 'width_bucket(d.created_at, :begins::timestamptz[]) - 1'
  const counting = queryRows<SpanRow>(
    pool,
    `WITH stored AS MATERIALIZED (
       SELECT d.account_id, d.site_id, ${span} AS span, d.status, count(*)::int AS count
       FROM delivery d WHERE ${matching.sql} GROUP BY 1, 2, 3, 4
     ), counted AS (
       SELECT site_id, span, ${shownStatusSql('d')} AS status, count FROM stored d
     ), shown AS (
       SELECT site_id, coalesce(sum(count) FILTER (WHERE status IN ('failed', 'held', 'waiting')), 0) AS bad, sum(count) AS most
       FROM counted GROUP BY site_id ORDER BY bad DESC, most DESC, site_id LIMIT ${MAX_SITES_SHOWN}
     )
     SELECT NULL::uuid AS site_id, NULL AS name, span, status, sum(count)::int AS count, 0 AS bad, 0 AS most
     FROM counted GROUP BY span, status
     UNION ALL
     SELECT site_id, site.name, span, status, count, bad, most
     FROM counted JOIN shown USING (site_id) LEFT JOIN site ON site.account_id = :accountId AND site.id = site_id
     ORDER BY bad DESC, most DESC, site_id, span`,
    values,
  )
  const timing = queryRows<{ span: number | null; median_ms: number | null }>(
    pool,
    `SELECT ${span} AS span, percentile_cont(0.5) WITHIN GROUP (ORDER BY date_part('epoch', greatest(d.updated_at, d.requested_at) - d.requested_at)) * 1000 AS median_ms
     FROM delivery d WHERE ${matching.sql} AND d.status = 'delivered' GROUP BY GROUPING SETS ((1), ())`,
    values,
  )
  const [rows, medians] = await Promise.all([counting, timing])
  const medianOf = new Map(medians.map(({ span, median_ms }) => [span, median_ms]))
  const spansOf = (counts: readonly SpanRow[]): SpanCount[] =>
    [...groupBy(counts, ({ span }) => span)]
      // What came before the first span that was asked for is not counted.
      .filter(([span]) => span >= 0)
      .map(([span, of]) => ({
        from: begins?.[span] ?? new Date(Date.parse(filter.created_from) + span * HOUR_MS).toISOString(),
        by_status: { ...noneOfAny, ...Object.fromEntries(of.map(({ status, count }) => [status, count])) },
        median_ms: of[0]?.site_id === null ? (medianOf.get(span) ?? null) : null,
      }))
  const { null: all = [], ...bySite } = Object.fromEntries(groupBy(rows, ({ site_id }) => String(site_id)))
  return {
    hours: spansOf(all),
    by_site: Object.entries(bySite).map(([id, of]) => ({
      id,
      name: of[0]?.name ?? null,
      hours: spansOf(of),
    })),
    median_ms: medianOf.get(null) ?? null,
  }
}

const noneOfAny = Object.fromEntries(shownStatuses.map((status) => [status, 0])) as SpanCount['by_status']

/** Deliveries of a site that are counted at most; `more` says that there are others. */
const MAX_COUNTED = 1_000

/** What each of these sites has on its way, a look at an index for each figure. */
export async function deliverySummaryBySite(
  pool: Pool,
  accountId: string,
  siteIds: readonly string[],
): Promise<ReadonlyMap<string, SiteDeliverySummary>> {
  const rows = await queryRows<SiteSummaryRow>(
    pool,
    `SELECT one.id AS site_id, waiting.count AS waiting, held.count AS held, last_delivery
     FROM unnest(:siteIds::uuid[]) AS one (id)
     CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
       SELECT 1 FROM delivery d WHERE d.account_id = :accountId AND d.site_id = one.id AND d.due_at IS NOT NULL
       LIMIT ${MAX_COUNTED + 1}) due) waiting
     CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
       SELECT 1 FROM delivery d WHERE d.account_id = :accountId AND d.site_id = one.id AND d.status = 'held'
       LIMIT ${MAX_COUNTED + 1}) resting) held
     LEFT JOIN LATERAL (
       SELECT json_build_object('id', d.id, 'status', ${shownStatusSql('d')}, 'title', d.title,
         'created_at', ${isoInstant('d.created_at')}, 'ended_at', CASE WHEN d.status NOT IN ('queued', 'delivering')
           THEN ${isoInstant('d.updated_at')} END) AS last_delivery FROM delivery d
       WHERE d.account_id = :accountId AND d.site_id = one.id ORDER BY d.id DESC LIMIT 1) last ON true`,
    { accountId, siteIds },
  )
  return new Map(
    rows.map(({ site_id, waiting, held, last_delivery }) => [
      site_id,
      { backlog: boundedCount(waiting), held: boundedCount(held), last_delivery },
    ]),
  )
}

interface SiteSummaryRow extends Pick<SiteDeliverySummary, 'last_delivery'> {
  site_id: string
  waiting: number
  held: number
}

const boundedCount = (found: number): BoundedCount => ({
  count: Math.min(found, MAX_COUNTED),
  more: found > MAX_COUNTED,
})

interface CauseGroup {
  status: ShownStatus
  /** Null where one that has failed has no error. */
  code: string
  site_id: string
  name: string | null
  count: number
  read: number
  /** The id of the newest delivery, and what that says. */
  newest: string
  message: string | null
}

/** What is held or has failed, by what must be done, the most frequent first. @returns `more`: the numbers are minimums */
export async function listCauses(
  pool: Pool,
  scope: DeliveryScope,
  asked: DeliveryFilter,
): Promise<{ causes: Cause[]; more: boolean }> {
  const statuses = (statusesOf(asked) ?? needsAttention).filter((one) => needsAttention.includes(one))
  const filter = { ...asked, attention: undefined, status: statuses }
  const groups: CauseGroup[] = []
  let more = false
  // Each by itself, or many of the one would hide the other.
  for (const status of statuses) {
    const found = await loadCauseGroups(pool, scope, { ...filter, status: [status] })
    groups.push(...found.map((group) => ({ ...group, status })))
    more ||= found.reduce((sum, { read }) => sum + read, 0) > MAX_ROWS_READ
  }
  const known = groups.filter(({ code, newest }) => code !== null && newest !== null)
  const byCode = groupBy(known, ({ code }) => code)
  const causes = [...byCode].map(([code, of]) => causeOf(code, of, filter))
  return { causes: causes.sort((one, other) => other.count - one.count), more }
}

async function loadCauseGroups(pool: Pool, scope: DeliveryScope, filter: DeliveryFilter) {
  const columns = ['d.id', 'd.site_id', `d.error ->> 'code' AS code`]
  const { sql, values } = await walkAll(pool, scope, filter, columns)
  return queryRows<Omit<CauseGroup, 'status'>>(
    pool,
    `SELECT found.*, site.name, (
         SELECT d.error ->> 'message' FROM delivery d WHERE d.account_id = :accountId AND d.id = found.newest::uuid) AS message
     FROM (
       SELECT code, site_id, count(*) FILTER (WHERE fits)::int AS count, count(*)::int AS read,
         max(id::text) FILTER (WHERE fits) AS newest
       FROM (${sql}) walk GROUP BY code, site_id
     ) found LEFT JOIN site ON site.account_id = :accountId AND site.id = found.site_id`,
    values,
  )
}

function causeOf(
  code: string,
  groups: readonly CauseGroup[],
  filter: DeliveryFilter & Pick<Cause['filter'], 'status'>,
): Cause {
  const sites = new Map<string, Cause['sites'][number]>()
  for (const { site_id: id, name, count } of groups)
    sites.set(id, { id, name, count: (sites.get(id)?.count ?? 0) + count })
  const countOf = (wanted: ShownStatus) =>
    groups.reduce((sum, { status, count }) => (status === wanted ? sum + count : sum), 0)
  const [held, failed] = [countOf('held'), countOf('failed')]
  const count = held + failed
  const todo = adviceFor(code)
  // Ids of version 7 are in the order of their making, as text too.
  const newest = groups.reduce((one, other) => (other.newest > one.newest ? other : one))
  const said = withoutAdvice(newest.message ?? code, todo)
  return {
    code,
    sentence: `${pluralize(count, 'delivery', 'deliveries')} to ${pluralize(sites.size, 'site')}: ${said}`,
    todo,
    reconnect: needsReconnect(code),
    count,
    held,
    failed,
    site_count: sites.size,
    newest: newest.newest,
    sites: [...sites.values()].sort((one, other) => other.count - one.count).slice(0, MAX_NAMED_SITES),
    filter: { ...filter, code },
  }
}
