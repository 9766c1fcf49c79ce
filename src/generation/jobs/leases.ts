import type { Pool } from 'pg'
import { named } from '../../database/statement.ts'
import type { Lease, LeaseKind, Timing } from '../../jobs/heartbeat.ts'

export interface JobLease extends Lease {
  /** Called when the claim no longer counts. */
  lose(): void
}

/** Leases of claimed jobs: `due_at` of a claimed one is when the claim expires. */
export const jobLeases: LeaseKind = {
  async renew(pool, leases, { leaseS, deadAfterS }) {
    const { rows } = await pool.query<{ id: string }>({
      name: 'renew-job-leases',
      ...named(
        `UPDATE generation_job j SET due_at = now() + make_interval(secs => :leaseS)
         FROM (
           SELECT j.id FROM unnest(:ids::uuid[], :fences::int[]) AS held (id, fence)
           JOIN generation_job j ON j.id = held.id AND j.fence = held.fence AND j.leased_by IS NOT NULL
           ORDER BY j.id FOR UPDATE OF j
         ) held
         WHERE j.id = held.id
         RETURNING j.id`,
        { ids: leases.map(({ id }) => id), fences: leases.map(({ fence }) => fence), leaseS },
      ),
      // A later renewal proves nothing and must not hold a connection.
      query_timeout: deadAfterS * 1000,
    })
    const renewed = new Set(rows.map(({ id }) => id))
    for (const lease of leases) if (!renewed.has(lease.id)) lostLeases(lease)
    return renewed
  },

  async giveBack(pool, worker, leases) {
    await pool.query(
      named(
        `WITH given AS (
           SELECT id FROM generation_job j WHERE j.leased_by = :worker AND j.id = ANY (:ids::uuid[]) ORDER BY j.id FOR UPDATE
         )
         UPDATE generation_job j SET leased_by = NULL, due_at = now() FROM given WHERE j.id = given.id`,
        { worker, ids: leases.map(({ id }) => id) },
      ),
    )
    for (const lease of leases) lostLeases(lease)
  },
}

const lostLeases = (lease: Lease | JobLease): void => {
  if ('lose' in lease) lease.lose()
}

/**
 * Releases the jobs of dead processes and counts the crash, unless a part was stored since: the job
 * may be at fault. Work in a process that was asked to stop is not counted. Call it only from a
 * process that was itself heard for as long as it takes to be called dead.
 */
export async function reclaimAbandonedJobs(
  pool: Pool,
  { deadAfterS }: Pick<Timing, 'deadAfterS'>,
): Promise<void> {
  await pool.query({
    name: 'take-over-jobs',
    ...named(
      `WITH alive AS (
         SELECT id FROM worker_process WHERE beat_at > now() - make_interval(secs => :deadAfterS)
       ), abandoned AS (
         SELECT j.id, p.stopping_at IS NULL AND NOT EXISTS (SELECT FROM alive WHERE alive.id = j.leased_by) AS died
         FROM generation_job j LEFT JOIN worker_process p ON p.id = j.leased_by
         WHERE j.leased_by IS NOT NULL
           AND (j.due_at <= now() OR NOT EXISTS (SELECT FROM alive WHERE alive.id = j.leased_by))
         ORDER BY j.id FOR UPDATE OF j SKIP LOCKED
       )
       UPDATE generation_job j SET leased_by = NULL, due_at = now(), crashes = j.crashes + died::int
       FROM abandoned WHERE j.id = abandoned.id`,
      { deadAfterS },
    ),
  })
}
