import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { Timing } from '../../jobs/timing.ts'

/**
 * Frees jobs that nobody works on any more: their process has died, or has lost sight of them. A death is counted, unless a
 * part was stored meanwhile: it may have been the job's doing. Not counted is what was under way in a process that was asked
 * to stop. To be called only by a process that was itself heard for as long as it takes to call another one dead.
 */
export async function takeOverJobs(pool: Pool, { deadAfterS }: Pick<Timing, 'deadAfterS'>): Promise<void> {
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
