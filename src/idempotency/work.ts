import type { Pool } from 'pg'
import { z } from 'zod'
import { named } from '../database/named.ts'
import { defineJob } from '../jobs/job.ts'
import { task, type Worker } from '../jobs/task.ts'

/** Removes what is older than a day. */
const forgetJob = defineJob({ name: 'forget_idempotency_keys', payload: z.object({}) })

/** Rows a statement: short enough that nobody waits behind it. */
const BATCH = 1_000

/** What idempotency needs done: that keys are forgotten after 24 hours. */
export const idempotencyWork =
  (pool: Pool): Worker =>
  ({ stopping }) => ({
    tasks: [
      task(
        forgetJob,
        async () => {
          while (!stopping.aborted && (await forgetOld(pool)) === BATCH);
        },
        '23 * * * *',
      ),
    ],
  })

/** @returns how many were forgotten, a batch at most */
export async function forgetOld(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    named(
      `DELETE FROM idempotency_key WHERE id = ANY (ARRAY(
         SELECT id FROM idempotency_key
         WHERE created_at < now() - interval '24 hours' AND coalesce(leased_until, now()) <= now()
         ORDER BY created_at LIMIT :batch FOR UPDATE SKIP LOCKED))`,
      { batch: BATCH },
    ),
  )
  return rowCount ?? 0
}
