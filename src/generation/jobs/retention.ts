import type { Pool } from 'pg'
import { z } from 'zod'
import { named } from '../../database/named.ts'
import { defineJob } from '../../jobs/job.ts'
import type { Storage } from '../storage/types.ts'

/** Removes jobs that ended long ago; planned by its timetable alone. */
export const jobRetention = defineJob({ name: 'generation_retention', payload: z.object({}) })

/** Jobs a statement. */
const BATCH = 500

/**
 * Removes jobs that ended more than `days` ago, with their parts and calls; what was charged for them stays in the ledger of
 * credits. What providers answered and was too large for a row goes with them.
 *
 * @returns how many
 */
export async function purgeJobs(pool: Pool, storage: Storage, days: number): Promise<number> {
  for (let total = 0; ; ) {
    const { rows } = await pool.query<{ id: string; files: string[] }>(
      named(
        `SELECT j.id, ARRAY(SELECT p.answer ->> 'file' FROM generation_part p
           WHERE p.job_id = j.id AND p.answer ->> 'file' IS NOT NULL) AS files
         FROM generation_job j WHERE j.ended_at < now() - make_interval(days => :days) ORDER BY j.ended_at LIMIT ${BATCH}`,
        { days },
      ),
    )
    if (rows.length === 0) return total
    // The files first: of rows that are gone nobody would know them.
    const files = rows.flatMap((row) => row.files)
    if (files.length > 0) await storage.remove(files)
    await pool.query(
      named('DELETE FROM generation_job WHERE id = ANY (:ids::uuid[])', { ids: rows.map(({ id }) => id) }),
    )
    total += rows.length
  }
}
