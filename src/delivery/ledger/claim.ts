import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { IS_ENABLED } from '../../jobs/under-way.ts'
import type { DeliveryRow } from './row.ts'
import { CRASHES_BEFORE_ALONE } from './take-over.ts'
import { mayTransition, transition } from './transition.ts'

export interface ClaimRequest {
  siteId: string
  accountId: string
  /** The process that will hold the lease. */
  worker: string
  /** Seconds that the claim holds without a word of that process. */
  leaseS: number
}

const COLUMNS = `d.id, d.account_id, d.site_id, d.document_id, d.wanted_event_id, d.delivered_event_id, d.status,
  d.fence, d.attempts, d.site_failures, d.site_failed_at, d.reserve_intent_at, d.ambiguous_at, d.post_id, d.post_type,
  d.post_status, d.sent_hash, d.answered`

/** Deliveries that are claimed together at most, and move side by side. */
export const COHORT = 10

/** Bytes that their documents and what is remembered of their posts have together, unless the first has more. */
const COHORT_BYTES = 1024 * 1024

/**
 * Takes the deliveries of a site that have been due the longest, as many as may move together. Raises the fence of each,
 * so that whoever held it before can no longer write. None when none is due, or the site is paused by hand. Never one that is to be alone
 * (take-over.ts); and one whose process ended over it comes without others behind it, which would end with it.
 */
export const claimNext = (pool: Pool, request: ClaimRequest, most = COHORT): Promise<DeliveryRow[]> =>
  claim(pool, request, { name: `claim-next-${most}`, which: IN_COMPANY, order: 'due_at', most })

/**
 * Takes the delivery that tells most about a site in trouble: one that the site never failed, or else the one that it
 * failed longest ago. A document that itself breaks the site is thereby no obstacle to the others.
 */
export const claimProbe = async (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> => {
  const order = 'site_failed_at NULLS FIRST, due_at'
  const [row] = await claim(pool, request, { name: 'claim-probe', which: IN_COMPANY, order, most: 1 })
  return row ?? null
}

/** Takes a delivery of a site that is to be done with no other beside it; null when none is due. */
export const claimAlone = async (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> => {
  const [row] = await claim(pool, request, { name: 'claim-alone', which: ALONE, order: 'due_at', most: 1 })
  return row ?? null
}

const ALONE = `cardinality(crashed) >= ${CRASHES_BEFORE_ALONE}`
const IN_COMPANY = `cardinality(crashed) < ${CRASHES_BEFORE_ALONE}`

/** Which deliveries a claim takes. */
interface Choice {
  /** Of the prepared statement. */
  name: string
  /** A condition. */
  which: string
  order: string
  /** Stands in the statement as a number: for a parameter PostgreSQL would plan as if it were any. */
  most: number
}

async function claim(
  pool: Pool,
  { siteId, accountId, worker, leaseS }: ClaimRequest,
  { name, which, order, most }: Choice,
): Promise<DeliveryRow[]> {
  const { rows } = await pool.query<DeliveryRow>({
    name,
    ...named(
      `WITH due AS (
         SELECT due.id, due.due_at, due.wanted_event_id, due.answered, due.crashed FROM delivery due
         WHERE due.site_id = :siteId AND due.account_id = :accountId AND due.due_at <= now()
           AND ${mayTransition('claim', 'due')} AND ${which} AND NOT EXISTS (
             SELECT FROM site WHERE site.account_id = :accountId AND site.id = :siteId AND site.stopped_at IS NOT NULL)
           AND ${IS_ENABLED(':accountId')}
         ORDER BY ${order} LIMIT ${most} FOR UPDATE SKIP LOCKED
       ), measured AS (
         SELECT due.id, due.due_at, cardinality(due.crashed) > 0 AS suspect,
           event.traceparent,
           coalesce(octet_length(coalesce(event.confirmed_body, event.body)), 0) AS document_bytes, coalesce(pg_column_size(due.answered), 0) AS answered
         FROM due LEFT JOIN event ON event.id = due.wanted_event_id
       ), cohort AS (
         SELECT id, traceparent, document_bytes, row_number() OVER line AS place, bool_or(suspect) OVER line AS suspect,
           sum(document_bytes + answered) OVER line AS bytes
         FROM measured WINDOW line AS (ORDER BY due_at, id ROWS UNBOUNDED PRECEDING)
       )
       UPDATE delivery AS d SET fence = d.fence + 1, leased_by = :worker,
         ${transition('claim', { to: 'delivering', due: 'now() + make_interval(secs => :leaseS)' })}
       FROM cohort
       WHERE d.id = cohort.id AND (cohort.place = 1 OR (cohort.bytes <= ${COHORT_BYTES} AND NOT cohort.suspect))
       RETURNING ${COLUMNS}, clock_timestamp() AS claimed_at, cohort.document_bytes, cohort.traceparent`,
      { siteId, accountId, worker, leaseS },
    ),
  })
  return rows
}
