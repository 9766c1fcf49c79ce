import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orphansJob } from '../../src/delivery/jobs.ts'
import { enqueue } from '../../src/jobs/job.ts'
import { cleanQueueTask } from '../../src/jobs/runner.ts'
import { removeSourceJob } from '../../src/sources/removal.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const ID = '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'

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

test('what was tried too often is tried anew after a night, unless its timetable brings it by itself', async () => {
  await enqueue(pool, orphansJob, { deliveryId: ID, tries: 2 })
  await enqueue(pool, removeSourceJob, { sourceId: ID })
  await pool.query(`SELECT graphile_worker.add_job('retention')`)
  await pool.query('UPDATE graphile_worker._private_jobs SET attempts = max_attempts')
  await cleanQueueTask(pool).run({})
  const { rows } = await pool.query(
    `SELECT j.task_identifier AS task, j.attempts, j.run_at <= now() AS due, p.payload
     FROM graphile_worker.jobs j JOIN graphile_worker._private_jobs p ON p.id = j.id ORDER BY task`,
  )
  expect(rows).toEqual([
    { task: 'reconcile_orphans', attempts: 0, due: true, payload: { deliveryId: ID, tries: 2 } },
    { task: 'remove_source', attempts: 0, due: true, payload: { sourceId: ID } },
  ])
})
