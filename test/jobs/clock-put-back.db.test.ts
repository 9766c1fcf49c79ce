import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Heartbeat, standardTiming } from '../../src/jobs/heartbeat.ts'
import { RunningJobs, Sweeper } from '../../src/jobs/sweep.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

// The clock of the database is put back by three hours: all that was written before is of a time to come.

const timing = { ...standardTiming, beatMs: 100, deadAfterS: 0.5, sweepMs: 100 }
const log = pino({ level: 'silent' })

let database: FreshDatabase
let pool: Pool
let heartbeat: Heartbeat
let sweeper: Sweeper
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  await pool.query(`INSERT INTO worker_process (id) VALUES ('a dead process')`)
  for (const name of ['locked', 'waiting', 'later'])
    await pool.query(
      `SELECT graphile_worker.add_job($1, queue_name => $1, job_key => $1, run_at => now() + make_interval(mins => $2))`,
      [name, name === 'later' ? 10 : 0],
    )
  await pool.query(
    `UPDATE graphile_worker._private_jobs SET locked_by = 'a dead process', locked_at = now() WHERE key = 'locked'`,
  )
  await pool.query(
    `UPDATE graphile_worker._private_job_queues SET locked_by = 'a dead process', locked_at = now() WHERE queue_name = 'locked'`,
  )
  const back = (columns: string[]) =>
    columns.map((column) => `${column} = ${column} + interval '3 hours'`).join(', ')
  await pool.query(`UPDATE worker_process SET ${back(['beat_at'])}`)
  await pool.query(
    `UPDATE graphile_worker._private_jobs SET ${back(['run_at', 'created_at', 'updated_at', 'locked_at'])}`,
  )
  await pool.query(`UPDATE graphile_worker._private_job_queues SET ${back(['locked_at'])}`)
  heartbeat = await Heartbeat.start(pool, 'a living process', timing, log)
  sweeper = new Sweeper({ pool, heartbeat, running: new RunningJobs(), timing, log, sweeps: [] })
})
afterAll(async () => {
  await sweeper.stop()
  heartbeat.stop()
  await pool.end()
  await database.drop()
})

const job = async (key: string) =>
  (
    await pool.query(
      `SELECT locked_by IS NULL AND run_at <= now() AS due, extract(epoch FROM run_at - now()) AS in_s
       FROM graphile_worker.jobs WHERE key = $1`,
      [key],
    )
  ).rows[0]

test('what a dead process held is taken over', async () => {
  await expect.poll(() => job('locked')).toMatchObject({ due: true })
  const { rows } = await pool.query(
    `SELECT FROM graphile_worker._private_job_queues WHERE queue_name = 'locked' AND locked_at IS NOT NULL`,
  )
  expect(rows).toEqual([])
})

test('a job runs when it was to: at once, or so much later', async () => {
  await expect.poll(() => job('waiting')).toMatchObject({ due: true })
  const { in_s: seconds } = await job('later')
  expect(Number(seconds)).toBeGreaterThan(500)
  expect(Number(seconds)).toBeLessThanOrEqual(600)
})
