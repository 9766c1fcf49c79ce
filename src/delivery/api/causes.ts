import { named } from '../../database/statement.ts'
import { groupBy } from '../../lib/group-by.ts'
import { pluralize } from '../../lib/text.ts'
import { adviceFor, needsReconnect, withoutAdvice } from '../ledger/failure.ts'
import type { ViewContext } from './deliveries.ts'
import { type DeliveryFilter, type DeliveryScope, needsAttention, statusesOf } from './filter.ts'
import { MAX_ROWS_READ, walkAll } from './index-walk.ts'

/** Deliveries that wait for the same thing to be done. */
interface Cause {
  code: string
  sentence: string
  todo: string | null
  /** Whether they go on once their sites are connected again. */
  reconnect: boolean
  count: number
  held: number
  failed: number
  site_count: number
  sites: { id: string; name: string | null; count: number }[]
  /** Finds exactly these, in a list and in whatever acts on all that match. */
  filter: DeliveryFilter
}

/** Sites that a cause names; of more it has their number. */
const MAX_NAMED_SITES = 20

/** Of one code and site. `newest` is the id of one of them. */
interface CauseGroup {
  /** Null where one that has failed has no error. */
  code: string
  site_id: string
  held: number
  failed: number
  read: number
  newest: string
}

/**
 * What is held or has failed, grouped by what must be done, the most frequent first.
 *
 * @returns `more` where not all were looked at, so that the numbers are the least that there are
 */
export async function listCauses(
  context: ViewContext,
  scope: DeliveryScope,
  asked: DeliveryFilter,
): Promise<{ causes: Cause[]; more: boolean }> {
  const statuses = (statusesOf(asked) ?? needsAttention).filter((one) => needsAttention.includes(one))
  const filter: DeliveryFilter = { ...asked, attention: undefined, status: statuses }
  const groups: CauseGroup[] = []
  let more = false
  // Each by itself, or many of the one would hide the other.
  for (const status of statuses) {
    const found = await loadCauseGroups(context, scope, { ...filter, status: [status] })
    groups.push(...found)
    more ||= found.reduce((sum, { read }) => sum + read, 0) > MAX_ROWS_READ
  }
  const known = groups.filter(({ code, newest }) => code !== null && newest !== null)
  const byCode = groupBy(known, ({ code }) => code)
  const [names, messages] = await Promise.all([
    loadSiteNames(context, scope, known),
    loadMessages(context, scope, [...byCode.values()].map(newestAt)),
  ])
  const causes = [...byCode].map(([code, of]) => causeOf(code, of, { names, messages, filter }))
  return { causes: causes.sort((one, other) => other.count - one.count), more }
}

async function loadCauseGroups(
  { pool }: ViewContext,
  scope: DeliveryScope,
  filter: DeliveryFilter,
): Promise<CauseGroup[]> {
  const columns = ['d.id', 'd.site_id', 'd.status', `d.error ->> 'code' AS code`]
  const { sql, values } = await walkAll(pool, scope, filter, columns)
  const { rows } = await pool.query<CauseGroup>(
    named(
      `SELECT code, site_id, count(*) FILTER (WHERE fits AND status = 'held')::int AS held,
         count(*) FILTER (WHERE fits AND status = 'failed')::int AS failed, count(*)::int AS read,
         max(id::text) FILTER (WHERE fits) AS newest
       FROM (${sql}) walk GROUP BY code, site_id`,
      values,
    ),
  )
  return rows
}

/** Ids of version 7 are in the order of their making, as text too. */
const newestAt = (groups: readonly CauseGroup[]): string =>
  groups.reduce((newest, group) => (group.newest > newest ? group.newest : newest), '')

interface CauseContext {
  names: ReadonlyMap<string, string>
  messages: ReadonlyMap<string, string>
  filter: DeliveryFilter
}

function causeOf(
  code: string,
  groups: readonly CauseGroup[],
  { names, messages, filter }: CauseContext,
): Cause {
  const sites = new Map<string, number>()
  for (const { site_id, held, failed } of groups)
    sites.set(site_id, (sites.get(site_id) ?? 0) + held + failed)
  const sum = (part: 'held' | 'failed') => groups.reduce((all, group) => all + group[part], 0)
  const [held, failed] = [sum('held'), sum('failed')]
  const count = held + failed
  const todo = adviceFor(code)
  const said = withoutAdvice(messages.get(newestAt(groups)) ?? code, todo)
  return {
    code,
    sentence: `${pluralize(count, 'delivery', 'deliveries')} to ${pluralize(sites.size, 'site')}: ${said}`,
    todo,
    reconnect: needsReconnect(code),
    count,
    held,
    failed,
    site_count: sites.size,
    sites: [...sites]
      .sort(([, one], [, other]) => other - one)
      .slice(0, MAX_NAMED_SITES)
      .map(([id, count]) => ({ id, name: names.get(id) ?? null, count })),
    filter: { ...filter, code },
  }
}

async function loadSiteNames(
  { prisma }: ViewContext,
  { accountId }: DeliveryScope,
  groups: readonly CauseGroup[],
): Promise<Map<string, string>> {
  const ids = [...new Set(groups.map(({ site_id }) => site_id))]
  const sites = await prisma.site.findMany({
    where: { accountId, id: { in: ids } },
    select: { id: true, name: true },
  })
  return new Map(sites.map(({ id, name }) => [id, name]))
}

async function loadMessages(
  { pool }: ViewContext,
  { accountId }: DeliveryScope,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; message: string }>(
    named(
      `SELECT id, error ->> 'message' AS message FROM delivery WHERE account_id = :accountId AND id = ANY (:ids::uuid[])`,
      { accountId, ids },
    ),
  )
  return new Map(rows.map(({ id, message }) => [id, message]))
}
