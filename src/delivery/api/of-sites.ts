import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { DeliveryStatus } from '../ledger/row.ts'
import type { Count } from './counts.ts'

/** What a site has on its way. */
export interface OfSite {
  /** Queued or under way. */
  backlog: Count
  held: Count
  last_delivery: { id: string; status: DeliveryStatus; title: string | null; created_at: string } | null
}

/** Deliveries of a site that are counted; of more it is said that there are. */
const MOST = 1_000

/** What each of these sites has on its way, a look at an index for each figure. */
export async function deliveriesOfSites(
  pool: Pool,
  accountId: string,
  siteIds: readonly string[],
): Promise<ReadonlyMap<string, OfSite>> {
  const { rows } = await pool.query<Row>(
    named(
      `SELECT one.id AS site_id, waiting.count AS waiting, held.count AS held, last.id, last.status, last.title, last.created_at
       FROM unnest(:siteIds::uuid[]) AS one (id)
       CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
         SELECT 1 FROM delivery d WHERE d.account_id = :accountId AND d.site_id = one.id AND d.due_at IS NOT NULL
         LIMIT ${MOST + 1}) due) waiting
       CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
         SELECT 1 FROM delivery d WHERE d.account_id = :accountId AND d.site_id = one.id AND d.status = 'held'
         LIMIT ${MOST + 1}) resting) held
       LEFT JOIN LATERAL (
         SELECT d.id, d.status, d.title, d.created_at FROM delivery d
         WHERE d.account_id = :accountId AND d.site_id = one.id ORDER BY d.id DESC LIMIT 1) last ON true`,
      { accountId, siteIds },
    ),
  )
  return new Map(rows.map((row) => [row.site_id, ofSite(row)]))
}

interface Row {
  site_id: string
  waiting: number
  held: number
  id: string | null
  status: DeliveryStatus
  title: string | null
  created_at: Date
}

const ofSite = ({ waiting, held, id, status, title, created_at }: Row): OfSite => ({
  backlog: countOf(waiting),
  held: countOf(held),
  last_delivery: id === null ? null : { id, status, title, created_at: created_at.toISOString() },
})

const countOf = (found: number): Count => ({ count: Math.min(found, MOST), more: found > MOST })
