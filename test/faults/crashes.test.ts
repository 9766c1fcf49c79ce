import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Sites, startSites } from '../../bench/support/simulator.ts'
import { addSites } from '../../bench/support/sites.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { type FaultProxy, slow, startFaultProxy } from '../support/proxy/index.ts'
import { completed } from '../support/webhooks.ts'
import { bundleProgram, type GalleyChild, startChild } from './stage/child.ts'
import { deadly, deadlyTitles } from './stage/deadly.ts'
import { long } from './stage/options.ts'
import { quickTiming } from './stage/timing.ts'

const secretKeys = generateSecretKey()
const key = createApiKey()
let program: string
let database: FreshDatabase
let pool: Pool
let simulator: Sites
let proxy: FaultProxy
let siteId: string
let webhook: string

/** As whatever runs Galley does: it is started again whenever it ends. */
let child: GalleyChild
let ends = 0
let over = false
let running: Promise<void>

async function keepRunning(): Promise<void> {
  const env = {
    DATABASE_URL: database.connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ADMIN_KEY: key,
  }
  const start = () =>
    startChild(program, { env: { ...env, NODE_OPTIONS: '--max-old-space-size=160' }, timing: quickTiming })
  child = await start()
  running = (async () => {
    for (;;) {
      await child.exited
      if (over) return
      ends += 1
      child = await start()
    }
  })()
}

beforeAll(async () => {
  program = await bundleProgram(undefined, deadly)
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 4 })
  pool.on('error', () => undefined)
  simulator = await startSites(1, () => undefined)
  proxy = await startFaultProxy(simulator.urls[0] as string)
  await keepRunning()
  const ids = await addSites(pool, secretKeys, [{ url: proxy.url, concurrency: 4 }])
  siteId = ids[0] as string
  const { body } = await call<{ data: { url: string } }>('POST', '/v1/sources', { name: 'crashes' })
  webhook = new URL(body.data.url).pathname
})

beforeEach(() => {
  ends = 0
})

afterAll(async () => {
  over = true
  child.kill('SIGKILL')
  await running
  await proxy.close()
  simulator.close()
  await pool.end()
  await database.drop()
})

async function call<Body>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${child.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

/** @returns the id of the document */
async function send(title: string, id: string = randomUUID()): Promise<string> {
  const { status } = await call('POST', webhook, completed({ id, siteId, title, slug: id }))
  expect(status).toBe(202)
  return id
}

interface State {
  id: string
  status: string
  crashed: number[]
  code: string | null
  message: string | null
  /** How often its timeline says that a process ended over it. */
  over: number
}

async function stateOf(documentId: string): Promise<State> {
  const { rows } = await pool.query<State>(
    `SELECT id, status, crashed, error ->> 'code' AS code, error ->> 'message' AS message,
       (SELECT count(*)::int FROM delivery_step s
        WHERE s.delivery_id = d.id AND s.step = 'claim' AND s.outcome IN ('process_ended', 'held')) AS over
     FROM delivery d WHERE document_id = $1`,
    [documentId],
  )
  return rows[0] as State
}

const becomes = (documentId: string, status: string) =>
  expect.poll(async () => (await stateOf(documentId)).status, { interval: 100 }).toBe(status)

const deaths = [
  ['ends the process as kill -9 does', deadlyTitles.kills],
  ['takes more memory than the process has', deadlyTitles.eats],
]

test.each(long ? deaths : deaths.slice(0, 1))(
  'a document that %s is held after the third time, and what was in flight beside it is delivered',
  async (_, title) => {
    // The others are under way for as long as the process lives, and it ends at the culprit's second request.
    const id = randomUUID()
    const ofOthers = ({ url, body }: { url: string; body: Buffer }) => !`${url} ${body}`.includes(id)
    proxy.rule({ path: '/wp/v2/posts', where: ofOthers }, slow(2_000))
    // All of them wait before the first begins: one that came while others were under way would wait for their end.
    const rests = 'paused_until = now() + interval \'1 hour\', trouble = \'{"code": "x"}\''
    await pool.query(`UPDATE site SET ${rests}`)
    const others = await Promise.all(Array.from({ length: 3 }, (_, n) => send(`Beside it ${n}`)))
    const culprit = await send(title, id)
    await pool.query('UPDATE site SET paused_until = NULL, trouble = NULL')

    await becomes(culprit, 'held')
    for (const other of others) await becomes(other, 'delivered')
    proxy.clear()
    const held = await stateOf(culprit)
    expect(held).toMatchObject({ code: 'process_ended', over: 3 })
    expect(held.message).toContain('ended three times')
    expect(held.message).toContain('retry this delivery')
    expect(ends).toBe(3)
    const states = await Promise.all(others.map(stateOf))
    // A process, or two, ended over the others too; they were cleared by themselves.
    const ended = states.map(({ over }) => over)
    expect(Math.max(...ended)).toBeGreaterThan(0)
    expect(Math.max(...ended)).toBeLessThan(3)
    expect(states.map(({ crashed }) => crashed)).toEqual([[], [], []])

    // Retried as it is, it is alone, and held at once; a version that is none of the kind goes through and clears it.
    // The process may end before it has answered.
    const status = await call('POST', `/v1/deliveries/${held.id}/retry`).then(
      ({ status }) => status,
      ({ cause }: Error) => (cause as { code?: string }).code,
    )
    expect([202, 'UND_ERR_SOCKET', 'ECONNRESET']).toContain(status)
    await expect.poll(async () => (await stateOf(culprit)).over).toBe(4)
    expect(ends).toBe(4)
    expect(await stateOf(culprit)).toMatchObject({ status: 'held', code: 'process_ended' })
    await expect
      .poll(() =>
        fetch(`${child.url}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true)
    await send('Harmless now', culprit)
    await becomes(culprit, 'delivered')
    expect((await stateOf(culprit)).crashed).toEqual([])
  },
)
