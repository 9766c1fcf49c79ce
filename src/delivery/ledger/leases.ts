import { named } from '../../database/named.ts'
import type { LeaseKind } from '../../jobs/heartbeat.ts'
import { mayTransition, transition } from './transition.ts'

/** The leases of claimed deliveries: `due_at` of one that is `delivering` is when its claim ends by itself. */
export const deliveryLeases: LeaseKind = {
  async renew(pool, leases, { leaseS, deadAfterS }) {
    const { rows } = await pool.query<{ id: string }>({
      name: 'renew-leases',
      ...named(
        `UPDATE delivery d SET due_at = now() + make_interval(secs => :leaseS)
         FROM (
           SELECT d.id FROM unnest(:ids::uuid[], :fences::int[]) AS held (id, fence)
           JOIN delivery d ON d.id = held.id AND d.fence = held.fence AND d.status = 'delivering'
           ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE OF d
         ) held
         WHERE d.id = held.id
         RETURNING d.id`,
        { ids: leases.map(({ id }) => id), fences: leases.map(({ fence }) => fence), leaseS },
      ),
      // One that is stored later than this proves nothing any more, and must not keep a connection from the next.
      query_timeout: deadAfterS * 1000,
    })
    return new Set(rows.map(({ id }) => id))
  },

  async giveBack(pool, worker, leases) {
    await pool.query(
      named(
        `WITH given AS (
           SELECT id FROM delivery d
           WHERE d.leased_by = :worker AND ${mayTransition('giveBack', 'd')} AND d.id = ANY (:ids::uuid[])
           ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE
         )
         UPDATE delivery d SET ${transition('giveBack', { to: 'queued', due: 'now()' })}, leased_by = NULL
         FROM given WHERE d.id = given.id`,
        { worker, ids: leases.map(({ id }) => id) },
      ),
    )
  },
}
