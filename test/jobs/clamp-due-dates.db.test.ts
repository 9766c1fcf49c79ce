import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backfillWork } from '../../src/backfill/work.ts'
import { deliverySweep } from '../../src/delivery/site-worker/sweep.ts'
import { generationSweep } from '../../src/generation/jobs/worker.ts'
import { idempotencyWork } from '../../src/idempotency/idempotency.ts'
import { standardTiming } from '../../src/jobs/heartbeat.ts'
import { clampDueDates } from '../../src/jobs/sweep.ts'
import { notificationWork } from '../../src/notifications/work.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('what is due later than any pause ends is due now, and a pause keeps its end', async () => {
  const insert = (inMinutes: number) =>
    pool.query(
      `INSERT INTO generation_provider (name, paused_until) VALUES ($1, now() + make_interval(mins => $2))`,
      [randomUUID(), inMinutes],
    )
  for (const minutes of [3 * 60, 60]) await insert(minutes)
  await clampDueDates(pool, [{ table: 'generation_provider', column: 'paused_until' }])
  const { rows } = await pool.query(
    `SELECT round(extract(epoch FROM paused_until - now()) / 60)::int AS minutes FROM generation_provider ORDER BY 1`,
  )
  expect(rows).toEqual([{ minutes: 0 }, { minutes: 60 }])
})

test('a job of the queue waits as long as it was to, and no lock or beat is ahead', async () => {
  for (const [key, minutes] of [
    ['due', 0],
    ['later', 10],
  ])
    await pool.query(
      `SELECT graphile_worker.add_job('x', job_key => $1, run_at => now() + make_interval(mins => $2))`,
      [key, minutes],
    )
  await pool.query(`UPDATE graphile_worker._private_jobs SET run_at = run_at + interval '3 hours',
    updated_at = updated_at + interval '3 hours', locked_at = now() + interval '3 hours', locked_by = 'a dead process'`)
  await pool.query(
    `INSERT INTO worker_process (id, beat_at) VALUES ('a dead process', now() + interval '3 hours')`,
  )
  await clampDueDates(pool, [])
  const { rows } = await pool.query(
    `SELECT key, round(extract(epoch FROM run_at - now()) / 60)::int AS minutes, locked_at <= now() AS locked_before,
       (SELECT beat_at <= now() FROM worker_process) AS beat_before
     FROM graphile_worker._private_jobs ORDER BY key`,
  )
  const before = { locked_before: true, beat_before: true }
  expect(rows).toEqual([
    { key: 'due', minutes: 0, ...before },
    { key: 'later', minutes: 10, ...before },
  ])
})

test('every column that says when work is due, or since when a site or a provider works or fails, has a bound', async () => {
  const none = {} as never
  const sweeps = [
    deliverySweep(none, none, none),
    generationSweep(none, none, none),
    backfillWork({ timing: standardTiming } as never)(none).sweep,
    notificationWork(none)(none).sweep,
    idempotencyWork(none)(none).sweep,
  ]
  const bounded = sweeps
    .flatMap((sweep) => sweep?.dueDates ?? [])
    .map(({ table, column }) => `${table}.${column}`)
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name ~
       '(due_at|repeat_at|paused_until|leased_until|last_success_at|served_at|trouble_since|followed_at|attention_at)$'`,
  )
  expect(bounded.sort()).toEqual(rows.map(({ name }) => name).sort())
})
