import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sites, startSites } from '../../bench/support/simulator.ts'
import { addSites } from '../../bench/support/sites.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { bundleProgram, type GalleyChild, startChild } from '../faults/stage/child.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { answer, type FaultProxy, restError, startFaultProxy } from '../support/proxy/index.ts'
import { completed } from '../support/webhooks.ts'
import { type Receiver, startReceiver } from './stage.ts'

const KILLS = 2
const DOCUMENTS = 24

const secretKeys = generateSecretKey()
const key = createApiKey()
let program: string
let database: FreshDatabase
let pool: Pool
let simulator: Sites
let proxy: FaultProxy
let receiver: Receiver
let child: GalleyChild

const start = () =>
  startChild(program, {
    env: { DATABASE_URL: database.connectionString, GALLEY_SECRET_KEYS: secretKeys, GALLEY_ADMIN_KEY: key },
    timing: quickTiming,
  })

beforeAll(async () => {
  program = await bundleProgram()
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 4 })
  simulator = await startSites(1, () => undefined)
  proxy = await startFaultProxy(simulator.urls[0] as string)
  // Slow enough that kills find notifications under way, too.
  receiver = await startReceiver((response) => setTimeout(() => response.end(), 100))
  child = await start()
})

afterAll(async () => {
  child.kill('SIGKILL')
  await child.exited
  await receiver.close()
  await proxy.close()
  simulator.close()
  await pool.end()
  await database.drop()
})

async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const ask = () =>
    fetch(`${child.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  let response = await ask()
  // Not stored in time: its sender sends it again.
  while (response.status === 503) response = await ask()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Body
}

test('whatever is killed while deliveries settle, each outcome is told under one webhook-id, and none that was not settled', async () => {
  const [siteId] = await addSites(pool, secretKeys, [{ url: proxy.url, concurrency: 4 }])
  const source = await call<{ data: { url: string } }>('POST', '/v1/sources', { name: 'kills' })
  const webhook = new URL(source.data.url).pathname
  await call('POST', '/v1/receivers', { name: 'all', url: receiver.url })
  // Every seventh is held by the site's own answer, so that both outcomes are settled while processes are killed.
  proxy.rule(
    { method: 'POST', path: /\/wp\/v2\/posts\/\d+$/, where: ({ body }) => body.includes('refuse me') },
    answer(restError(400, 'rest_invalid_param', 'Invalid parameter(s): content')),
  )
  const nowhere = randomUUID()
  const documents = await Promise.all(
    Array.from({ length: DOCUMENTS }, async (_, n) => {
      const document = completed({
        id: randomUUID(),
        siteId: n % 7 === 3 ? nowhere : siteId,
        title: n % 7 === 5 ? 'refuse me' : `Number ${n}`,
      })
      await call('POST', webhook, document)
      return document.id
    }),
  )
  const ended = async () =>
    (
      await pool.query(
        `SELECT count(*)::int AS n FROM delivery WHERE status IN ('delivered', 'held', 'failed') AND document_id = ANY ($1)`,
        [documents],
      )
    ).rows[0].n
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const enough = Math.floor((DOCUMENTS * kill) / (KILLS + 1))
    await expect.poll(ended, { interval: 25 }).toBeGreaterThanOrEqual(enough)
    child.kill('SIGKILL')
    await child.exited
    child = await start()
  }
  await expect.poll(ended, { interval: 50 }).toBe(DOCUMENTS)
  const waiting = async () =>
    (await pool.query(`SELECT count(*)::int AS n FROM notification WHERE status <> 'acknowledged'`)).rows[0].n
  await expect.poll(waiting, { interval: 50 }).toBe(0)

  const told = receiver.told.map(({ headers, body }) => ({
    webhookId: headers['webhook-id'] as string,
    ...(JSON.parse(String(body)) as { event: string; data: { id: string } }),
  }))
  const { rows } = await pool.query<{ id: string; outcome: string }>(
    `SELECT id, 'delivery.' || status AS outcome FROM delivery WHERE document_id = ANY ($1)`,
    [documents],
  )
  const outcomesOf = (id: string) => told.filter(({ data }) => data.id === id)
  for (const { id, outcome } of rows) {
    expect(new Set(outcomesOf(id).map(({ webhookId }) => webhookId)).size, id).toBe(1)
    expect(new Set(outcomesOf(id).map(({ event }) => event)), id).toEqual(new Set([outcome]))
  }
  // Nobody was told of anything else, and each is told as often as it was tried.
  const known = new Set(rows.map(({ id }) => id))
  expect(told.filter(({ event, data }) => event.startsWith('delivery.') && !known.has(data.id))).toEqual([])
  expect(new Set(rows.map(({ outcome }) => outcome)).size).toBeGreaterThan(1)
}, 400_000)
