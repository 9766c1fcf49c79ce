import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
import type { Job } from './job.ts'
import { matching } from './matching.ts'

/** Rows a statement: they never come here. */
const BATCH = 2_000

/**
 * Writes down the next of what matches, in the order of the ids. The set is fixed before anything is done, so that it can
 * be counted and looked at, and nothing that the job itself changes slips out of it or into it; what is no longer as it
 * was is left out when its turn comes (run.ts). What came after the job was made is not in it.
 *
 * @returns where the job stands then; undefined where another process has it
 */
export async function collectBatch(
  database: Queryable,
  job: Job,
  batch = BATCH,
): Promise<Pick<Job, 'status' | 'collected'> | undefined> {
  const { table, sql, values } = matching(job)
  const { id, fence, collected, createdAt } = job
  const { rows } = await database.query<Pick<Job, 'status' | 'collected'>>(
    named(
      `WITH next AS MATERIALIZED (
         SELECT d.id FROM ${table} d
         WHERE d.account_id = :accountId AND ${sql} AND d.created_at <= :createdAt
           AND d.id > coalesce(:collected::uuid, '00000000-0000-0000-0000-000000000000')
         ORDER BY d.id LIMIT :batch
       ), added AS (
         INSERT INTO bulk_item (job_id, item_id) SELECT :jobId::uuid, id FROM next ON CONFLICT DO NOTHING
       )
       UPDATE bulk_job SET matched = matched + (SELECT count(*)::int FROM next),
         collected = coalesce((SELECT id FROM next ORDER BY id DESC LIMIT 1), collected),
         status = CASE WHEN cancelled_at IS NOT NULL OR (SELECT count(*) FROM next) < :batch THEN 'working' ELSE 'collecting' END
       WHERE id = :jobId AND fence = :fence RETURNING status, collected`,
      { ...values, jobId: id, fence, collected, createdAt, batch },
    ),
  )
  return rows[0]
}
