import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { type DeliveryStatus, deliveryStatuses } from '../ledger/row.ts'
import type { DeliveryFilter, DeliveryScope } from './filter.ts'
import { MOST_READ, type WalkOfAll, walkAll, walkNewest } from './walk.ts'

const HOUR_MS = 60 * 60_000

/** A filter that says from when on the hours are counted: whatever the zone, an hour begins where it says. */
export type FilterFrom = DeliveryFilter & { created_from: string }

/** What became of the deliveries that were received within an hour. */
interface Hour {
  from: string
  by_status: Record<DeliveryStatus, number>
  /** Milliseconds from the document to its post, of those that needed one attempt: half of them took less. */
  median_ms: number | null
}

export interface Hours {
  /** Those that have something, the earliest first. */
  hours: Hour[]
  /** Of all of them. */
  median_ms: number | null
  /** Not all deliveries were looked at: the newest were. */
  more: boolean
}

/** Of an hour and a status; of all hours where `hour` is null. */
interface Group {
  hour: number | null
  status: DeliveryStatus
  matching: number
  read: number
  cut: boolean
  median_ms: number | null
}

/** Counts the deliveries that match by the hour in which they were received, and by what became of them. */
export async function countByHour(pool: Pool, scope: DeliveryScope, filter: FilterFrom): Promise<Hours> {
  const columns = [
    'd.status',
    'd.attempts <= 1 AS at_once',
    '(extract(epoch FROM d.updated_at - d.created_at) * 1000)::float8 AS took_ms',
    `floor(extract(epoch FROM d.created_at - :beginning::timestamptz) / 3600)::int AS hour`,
  ]
  const group = async ({ sql, values }: WalkOfAll): Promise<Group[]> => {
    const { rows } = await pool.query<Group>(
      named(
        `SELECT hour, status, count(*) FILTER (WHERE fits)::int AS matching, count(*)::int AS read, bool_or(cut) AS cut,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY took_ms) FILTER (WHERE fits AND at_once) AS median_ms
         FROM (${sql}) walk GROUP BY GROUPING SETS ((hour, status), (status)) ORDER BY hour`,
        { ...values, beginning: filter.created_from },
      ),
    )
    return rows
  }
  const all = await walkAll(pool, scope, filter, columns)
  let rows = await group(all)
  if (isPart(rows) && !all.newest) rows = await group(await walkNewest(pool, scope, filter, columns))
  const hours = new Map<number, Hour>()
  for (const { hour, status, matching, median_ms } of rows) {
    if (hour === null || matching === 0) continue
    const one = hours.get(hour) ?? emptyAt(Date.parse(filter.created_from) + hour * HOUR_MS)
    one.by_status[status] = matching
    if (status === 'delivered') one.median_ms = median_ms
    hours.set(hour, one)
  }
  return {
    hours: [...hours.values()],
    median_ms: ofAllHours(rows).find(({ status }) => status === 'delivered')?.median_ms ?? null,
    more: isPart(rows),
  }
}

const ofAllHours = (rows: readonly Group[]) => rows.filter(({ hour }) => hour === null)

/** Whether there are others than were looked at. */
const isPart = (rows: readonly Group[]): boolean =>
  rows.some(({ cut }) => cut) || ofAllHours(rows).reduce((sum, { read }) => sum + read, 0) > MOST_READ

const emptyAt = (ms: number): Hour => ({
  from: new Date(ms).toISOString(),
  by_status: Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Hour['by_status'],
  median_ms: null,
})
