import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { DeliveryRow } from './row.ts'
import { CRASHES_BEFORE_ALONE } from './take-over.ts'
import { mayMove, transition } from './transition.ts'

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

/**
 * Takes the delivery of a site that has been due the longest. Raises the fence, so that whoever held it before can no
 * longer write. Null when none is due. Never one that is to be alone (take-over.ts).
 */
export const claimNext = (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> =>
  claim(pool, request, 'claim-next', IN_COMPANY, 'due_at')

/**
 * Takes the delivery that tells most about a site in trouble: one that the site never failed, or else the one that it
 * failed longest ago. A document that itself breaks the site is thereby no obstacle to the others.
 */
export const claimProbe = (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> =>
  claim(pool, request, 'claim-probe', IN_COMPANY, 'site_failed_at NULLS FIRST, due_at')

/** Takes a delivery of a site that is to be done with no other beside it; null when none is due. */
export const claimAlone = (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> =>
  claim(pool, request, 'claim-alone', ALONE, 'due_at')

const ALONE = `cardinality(crashed) >= ${CRASHES_BEFORE_ALONE}`
const IN_COMPANY = `cardinality(crashed) < ${CRASHES_BEFORE_ALONE}`

async function claim(
  pool: Pool,
  { siteId, accountId, worker, leaseS }: ClaimRequest,
  name: string,
  which: string,
  order: string,
): Promise<DeliveryRow | null> {
  const { rows } = await pool.query<DeliveryRow>({
    name,
    ...named(
      `UPDATE delivery AS d SET fence = d.fence + 1, leased_by = :worker,
         ${transition('claim', { to: 'delivering', due: 'now() + make_interval(secs => :leaseS)' })}
       WHERE d.id = (
         SELECT due.id FROM delivery due
         WHERE due.site_id = :siteId AND due.account_id = :accountId AND due.due_at <= now()
           AND ${mayMove('claim', 'due')} AND ${which}
         ORDER BY ${order} LIMIT 1 FOR UPDATE SKIP LOCKED
       )
       RETURNING ${COLUMNS}`,
      { siteId, accountId, worker, leaseS },
    ),
  })
  return rows[0] ?? null
}
