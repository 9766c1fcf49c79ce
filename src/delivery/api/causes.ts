import type { Pool } from 'pg'
import { queryRows } from '../../database/statement.ts'
import { groupBy } from '../../lib/group-by.ts'
import { pluralize } from '../../lib/text.ts'
import { adviceFor, needsReconnect, withoutAdvice } from '../ledger/failure.ts'
import type { ShownStatus } from '../ledger/state.ts'
import { type DeliveryFilter, type DeliveryScope, needsAttention, statusesOf } from './filter.ts'
import { MAX_ROWS_READ, walkAll } from './index-walk.ts'
import { type Cause, MAX_NAMED_SITES } from './schema.ts'

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
