import type { LeaseKind } from '../../jobs/heartbeat.ts'

/** The leases of claimed deliveries: `due_at` of one that is `delivering` is when its claim ends by itself. */
export const deliveryLeases: LeaseKind = {
  async renew(pool, leases, { leaseS, deadAfterS }) {
    const { rows } = await pool.query<{ id: string }>({
      name: 'renew-leases',
      text: `
        UPDATE delivery d SET due_at = now() + make_interval(secs => $3)
        FROM (
          SELECT d.id FROM unnest($1::uuid[], $2::int[]) AS held (id, fence)
          JOIN delivery d ON d.id = held.id AND d.fence = held.fence AND d.status = 'delivering'
          ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE OF d
        ) held
        WHERE d.id = held.id
        RETURNING d.id`,
      values: [leases.map(({ id }) => id), leases.map(({ fence }) => fence), leaseS],
      // One that is stored later than this proves nothing any more, and must not keep a connection from the next.
      query_timeout: deadAfterS * 1000,
    })
    return new Set(rows.map(({ id }) => id))
  },

  async giveBack(pool, worker, leases) {
    await pool.query(
      `WITH given AS (
         SELECT id FROM delivery WHERE leased_by = $1 AND status = 'delivering' AND id = ANY ($2::uuid[])
         ORDER BY account_id, site_id, document_id FOR UPDATE
       )
       UPDATE delivery d SET status = 'queued', due_at = now(), leased_by = NULL FROM given WHERE d.id = given.id`,
      [worker, leases.map(({ id }) => id)],
    )
  },
}
