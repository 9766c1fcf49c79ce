import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deliverySweep } from '../../src/delivery/site-worker/sweep.ts'
import { ProviderGate } from '../../src/generation/jobs/provider-gate.ts'
import { generationSweep } from '../../src/generation/jobs/worker.ts'
import { Heartbeat, standardTiming } from '../../src/jobs/heartbeat.ts'
import { RunningJobs, Sweeper } from '../../src/jobs/sweep.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

// The clock of the database was put back by three hours while no process ran: what was planned before is far off.

const timing = { ...standardTiming, beatMs: 100, sweepMs: 100 }
const log = pino({ level: 'silent' })
const accountId = randomUUID()
const siteId = randomUUID()

let database: FreshDatabase
let pool: Pool
let heartbeat: Heartbeat
let sweeper: Sweeper
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  await pool.query(
    `INSERT INTO worker_process (id, beat_at) VALUES ('a dead process', now() + interval '3 hours')`,
  )
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'Owner')`, [accountId])
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, trouble, trouble_count, paused_until)
     VALUES ($1, $2, 'Site', 'https://a.test', 'https://a.test/wp-json/', 'u', 'p', now(), '{"code": "site_down", "message": "down"}',
       2, now() + interval '3 hours 10 seconds')`,
    [siteId, accountId],
  )
  await pool.query(
    `INSERT INTO generation_provider (name, trouble, trouble_count, paused_until)
     VALUES ('away', '{"code": "PROVIDER_UNAVAILABLE", "message": "away"}', 2, now() + interval '3 hours 10 seconds')`,
  )
  for (const [n, [attempts, later, leasedBy]] of plans.entries()) {
    const due = `now() + interval '3 hours' + make_interval(secs => $4)`
    await pool.query(
      `INSERT INTO generation_job (id, account_id, kind, request, price, request_digest, attempts, due_at, leased_by)
       VALUES ($1, $2, 'image', '{}', 1, '', $3, ${due}, $5)`,
      [idOf(n), accountId, attempts, later, leasedBy],
    )
    await pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, updated_at, status, attempts, due_at, leased_by)
       VALUES ($1, $2, $6, $1, $1, now(), CASE WHEN $5::text IS NULL THEN 'queued' ELSE 'delivering' END, $3, ${due}, $5)`,
      [idOf(n), accountId, attempts, later, leasedBy, siteId],
    )
  }
  heartbeat = await Heartbeat.start(pool, 'a living process', timing, log)
  const sweeps = [generationSweep(pool, timing, new ProviderGate()), deliverySweep(pool, timing, log)]
  sweeper = new Sweeper({ pool, heartbeat, running: new RunningJobs(), timing, log, sweeps })
})
afterAll(async () => {
  await sweeper.stop()
  heartbeat.stop()
  await pool.end()
  await database.drop()
})

/** Attempts, seconds after the moment of then, and who works on it. */
const plans: [number, number, string | null][] = [
  [0, -60, null],
  [0, 0, null],
  [2, 30, null],
  [0, 60, 'a living process'],
]
const idOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

/** Seconds until each is due, at most. */
const NOT_LATER = [-60, 0, 30, 60]

test.each(['generation_job', 'delivery'])(
  'what waits in %s is due as if it were planned now',
  async (table) => {
    const late = async () => {
      const { rows } = await pool.query<{ in_s: number }>(
        `SELECT extract(epoch FROM due_at - now())::float8 AS in_s FROM ${table} ORDER BY id`,
      )
      return rows.filter(({ in_s }, n) => in_s > (NOT_LATER[n] as number)).length
    }
    await expect.poll(late).toBe(0)
  },
)

test.each(['generation_provider', 'site'])(
  'a pause in %s is over as soon as if it began now',
  async (table) => {
    const left = async () => {
      const { rows } = await pool.query<{ in_s: number }>(
        `SELECT extract(epoch FROM paused_until - now())::float8 AS in_s FROM ${table}`,
      )
      return rows[0]?.in_s
    }
    await expect.poll(left).toBeLessThanOrEqual(10)
  },
)
