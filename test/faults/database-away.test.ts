import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Logger, run } from 'graphile-worker'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Sites, startSites } from '../../bench/support/simulator.ts'
import { addSites } from '../../bench/support/sites.ts'
import { openDatabase } from '../../src/database/client.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../src/database/embedded/start.ts'
import { createQueuePool } from '../../src/jobs/runner.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { discardDataDir, newDataDir } from '../support/database/data-folder.ts'
import { completed } from '../support/webhooks.ts'
import { bundleProgram, type GalleyChild, startChild } from './stage/child.ts'
import { quickTiming } from './stage/timing.ts'

// A PostgreSQL of the operator's own, which Galley cannot start again: it waits until somebody does.

const SITES = 20
/** To each site, before any answers and while none does. */
const DOCUMENTS = { before: 2, meanwhile: 4 }
/** Longer than graphile-worker by itself would wait before it tries again, and fails for good. */
const AWAY_MS = 5_000

const dataDir = newDataDir()
const secretKeys = generateSecretKey()
const key = createApiKey()
let server: EmbeddedDatabase
let program: string
let galley: GalleyChild
let ended = false
let pool: Pool
let sites: Sites
let siteIds: string[]

const silent = pino({ level: 'silent' })
const startServer = () => startEmbedded({ dataDir, log: silent })

const startGalley = () =>
  startChild(program, {
    env: {
      DATABASE_URL: server.connectionString,
      GALLEY_SECRET_KEYS: secretKeys,
      GALLEY_ADMIN_KEY: key,
    },
    timing: quickTiming,
  })

beforeAll(async () => {
  server = await startServer()
  program = await bundleProgram()
  galley = await startGalley()
  galley.exited.then(() => {
    ended = true
  })
  pool = new Pool({ connectionString: server.connectionString, max: 2 })
  pool.on('error', () => undefined)
  sites = await startSites(SITES, () => undefined)
  siteIds = await addSites(
    pool,
    secretKeys,
    sites.urls.map((url) => ({ url, concurrency: 2 })),
  )
})

afterAll(async () => {
  galley.kill('SIGKILL')
  await galley.exited
  sites.close()
  await pool.end()
  await server.stop()
  await discardDataDir(dataDir)
})

async function post<Body>(path: string, body: unknown): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${galley.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

const delivered = async (): Promise<number> => {
  const { rows } = await pool.query("SELECT count(*)::int AS n FROM delivery WHERE status = 'delivered'")
  return rows[0].n
}

test('a database that is away for seconds while every site is busy ends no process, and all goes on by itself', async () => {
  const source = await post<{ data: { url: string } }>('/v1/sources', { name: 'away' })
  const webhook = new URL(source.body.data.url).pathname
  const send = async (each: number) => {
    for (let n = 0; n < each; n += 1) {
      const answers = siteIds.map((siteId) => post(webhook, completed({ id: randomUUID(), siteId })))
      for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 202 })
    }
  }
  await send(DOCUMENTS.before)
  await expect.poll(delivered).toBeGreaterThan(0)
  const letAnswer = sites.hold()
  await send(DOCUMENTS.meanwhile)
  await server.stop()
  letAnswer()
  await wait(AWAY_MS)
  expect(await post(webhook, completed({ id: randomUUID(), siteId: siteIds[0] as string }))).toMatchObject({
    status: 503,
    body: { error: { code: 'NOT_STORED' } },
  })
  server = await startServer()
  await expect.poll(delivered).toBe(SITES * (DOCUMENTS.before + DOCUMENTS.meanwhile))
  expect(ended).toBe(false)
})

test('a job that ends while the database is away is written down when it is back', async () => {
  const own = openDatabase({ connectionString: server.connectionString, poolSize: 4, log: silent })
  let end = () => {}
  const running = new Promise<void>((resolve) => {
    end = resolve
  })
  const begun = vi.fn(() => running)
  const runner = await run({
    pgPool: createQueuePool(own.pool, new AbortController().signal).pool,
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    taskList: { away: begun },
  })
  await pool.query("SELECT graphile_worker.add_job('away')")
  await expect.poll(() => begun.mock.calls.length).toBe(1)
  await server.stop()
  end()
  await wait(AWAY_MS)
  server = await startServer()
  const left = () => pool.query("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'away'")
  await expect.poll(async () => (await left()).rowCount).toBe(0)
  await runner.stop()
  await own.close()
})

test('a process that is to end does so though the database is away', async () => {
  const other = await startGalley()
  await server.stop()
  // By now it asks the queue again for work.
  await wait(4_000)
  other.kill('SIGTERM')
  const late = wait(120_000).then(() => other.kill('SIGKILL'))
  expect(await Promise.race([other.exited.then(() => 'ended'), late])).toBe('ended')
  server = await startServer()
})

test('a process whose job queue has ended by itself ends too, since it would deliver nothing any more', async () => {
  // What graphile-worker tells its older selves when it has changed the tables of the queue under them; it may only just
  // have begun to listen again.
  const tell = () => pool.query(`NOTIFY "worker:migrate", '{"breaking": true, "migrationNumber": 1000}'`)
  await expect.poll(() => tell().then(() => ended), { interval: 500 }).toBe(true)
})
