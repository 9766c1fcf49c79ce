import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orphansJob } from '../../src/delivery/jobs.ts'
import { enqueue } from '../../src/jobs/job.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  pool.on('error', () => undefined)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** As the queue gives it out, and as the sweep frees what a dead process held. */
async function takenAndFreed(): Promise<void> {
  await pool.query(`
    UPDATE graphile_worker._private_jobs
    SET attempts = attempts + 1, locked_by = 'killed', locked_at = now() - interval '1 minute'
    WHERE attempts < max_attempts`)
  await pool.query(`SELECT graphile_worker.force_unlock_workers(ARRAY['killed'])`)
}

test('a look for what a site finished late outlasts five processes that are killed over it', async () => {
  await enqueue(pool, orphansJob, { deliveryId: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11', tries: 0 })
  for (let killed = 0; killed < 5; killed += 1) await takenAndFreed()
  const { rows } = await pool.query(
    'SELECT attempts, attempts < max_attempts AND locked_at IS NULL AS waits FROM graphile_worker.jobs',
  )
  expect(rows).toEqual([{ attempts: 5, waits: true }])
})
