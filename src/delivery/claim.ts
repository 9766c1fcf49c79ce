import type { Pool } from 'pg'
import type { DeliveryRow } from './row.ts'

/**
 * How long a claim holds without a word from its worker, in seconds. Every ledger write renews it, and the longest
 * request, an upload of three minutes, ends before it. The sweeper ends the leases of dead processes sooner.
 */
export const LEASE_S = 240

const COLUMNS = `d.id, d.account_id, d.site_id, d.document_id, d.wanted_event_id, d.delivered_event_id, d.status,
  d.fence, d.attempts, d.site_failed_at, d.reserve_intent_at, d.ambiguous_at, d.post_id, d.post_type,
  d.post_status, d.sent_hash, d.answered`

/**
 * Takes the delivery of a site that has been due the longest: one that is queued, or one whose worker fell
 * silent. Raises the fence, so that whoever held it before can no longer write. Null when none is due.
 */
export async function claimNext(
  pool: Pool,
  { siteId, accountId, worker }: { siteId: string; accountId: string; worker: string },
): Promise<DeliveryRow | null> {
  const { rows } = await pool.query<DeliveryRow>({
    name: 'claim-next',
    text: `
      UPDATE delivery AS d SET status = 'delivering', fence = d.fence + 1, leased_by = $3,
        due_at = now() + make_interval(secs => $4), updated_at = now()
      WHERE d.id = (
        SELECT id FROM delivery WHERE site_id = $1 AND account_id = $2 AND due_at <= now()
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      RETURNING ${COLUMNS}`,
    values: [siteId, accountId, worker, LEASE_S],
  })
  return rows[0] ?? null
}
