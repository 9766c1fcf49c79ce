import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { bulkWork, runBulk } from '../../src/bulk/run.ts'
import type { Heartbeat } from '../../src/jobs/heartbeat.ts'
import type { SendComposed } from '../../src/notifications/mail/mailer.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { startHostileSite } from '../support/hostile-site.ts'
import { storeDeliveries, storeSite } from './stage.ts'

// Jobs that do not go from their beginning to their end at once.

let app: TestApp
let outbound: ReturnType<typeof createOutbound>
let siteId: string

beforeAll(async () => {
  app = await startApp()
  outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/test' })
})
beforeEach(async () => {
  siteId = await storeSite(app, app.owner.id)
})
afterAll(async () => {
  await outbound.close()
  await app.stop()
})

const going = new AbortController().signal

const needs = () => ({
  ...app.database,
  ...{ keyring: app.keyring, outbound, publicUrl: app.url, log: pino({ level: 'silent' }), retentionDays: 0 },
})

const held = (count: number) => storeDeliveries(app, { accountId: app.owner.id, siteId, count })

const start = async (body: object): Promise<string> => (await app.ask('POST', '/v1/bulk', { body })).body.id

const read = async (id: string) => (await app.ask('GET', `/v1/bulk/${id}`)).body.data

/** As the queue has a worker do it, turn by turn. */
async function worked(id: string): Promise<void> {
  const heartbeat = new Promise<Heartbeat>(() => undefined)
  const [task] = bulkWork(needs())({ heartbeat, stopping: going }).tasks
  do await task?.run({ bulkId: id, accountId: app.owner.id })
  while ((await read(id)).ended_at === null)
}

const waiting = async (id: string): Promise<number> => {
  const { rows } = await app.database.pool.query(
    `SELECT count(*)::int AS count FROM graphile_worker.jobs WHERE key = 'bulk:' || $1::text`,
    [id],
  )
  return rows[0].count
}

test('a long job gives its place to others after a turn, and goes on where it was', async () => {
  await held(220)
  const id = await start({ action: 'release', filter: { site_id: siteId } })
  let turns = 0
  // No time at all: each turn is one piece of the work.
  while (!(await runBulk(needs(), id, going, 0))) {
    turns += 1
    if (turns > 50) break
  }
  expect(turns).toBeGreaterThan(3)
  expect(await read(id)).toMatchObject({ status: 'done', matched: 220, done: 220 })
})

test('one whose filter this version cannot read fails, and is not tried for ever', async () => {
  const ids = await held(2)
  const id = await start({ action: 'release', filter: { site_id: siteId } })
  await app.database.pool.query(`UPDATE bulk_job SET filter = '{"of_old": 1}' WHERE id = $1`, [id])
  await worked(id)
  expect(await read(id)).toMatchObject({ status: 'failed', done: 0, ended_at: expect.any(String) })
  const rows = await app.database.prisma.delivery.findMany({ where: { id: { in: ids }, status: 'held' } })
  expect(rows).toHaveLength(2)
})

test('while the database is away a job neither fails nor is given up', async () => {
  await held(2)
  const id = await start({ action: 'release', filter: { site_id: siteId } })
  const away = Object.assign(new Error('going down'), { code: '57P01' })
  const heartbeat = new Promise<Heartbeat>(() => undefined)
  const pool = new Proxy(app.database.pool, {
    get: (target, name) => (name === 'query' ? () => Promise.reject(away) : Reflect.get(target, name)),
  })
  const [task] = bulkWork({ ...needs(), pool })({ heartbeat, stopping: going }).tasks
  await expect(task?.run({ bulkId: id, accountId: app.owner.id })).rejects.toBe(away)
  await worked(id)
  expect(await read(id)).toMatchObject({ status: 'done', done: 2 })
})

test('a job that is cancelled while it is collected collects no more', async () => {
  await held(20)
  const id = await start({ action: 'release', filter: { site_id: siteId } })
  await app.ask('POST', `/v1/bulk/${id}/cancel`)
  await worked(id)
  expect(await read(id)).toMatchObject({ status: 'cancelled', done: 0 })
  expect(await waiting(id)).toBeLessThan(2)
})

test('of two jobs over the same deliveries each is done by one', async () => {
  const ids = await held(120)
  const [one, two] = await Promise.all([
    start({ action: 'release', filter: { site_id: siteId } }),
    start({ action: 'release', filter: { site_id: siteId } }),
  ])
  await Promise.all([one, two].map((id) => runBulk(needs(), id, going, 600_000)))
  const [first, second] = [await read(one), await read(two)]
  expect([first.matched, second.matched]).toEqual([120, 120])
  for (const { done, skipped, failed } of [first, second]) expect([done + skipped, failed]).toEqual([120, 0])
  const { rows } = await app.database.pool.query(
    `SELECT count(*)::int AS times FROM delivery_step WHERE outcome = 'retried' AND delivery_id = ANY ($1) GROUP BY delivery_id`,
    [ids],
  )
  expect(rows).toHaveLength(120)
  expect(first.done + second.done).toBe(rows.reduce((sum, { times }) => sum + times, 0))
})

test('what is retried while its site is paused waits, and is sent nowhere', async () => {
  const ids = await held(3)
  await app.ask('POST', `/v1/sites/${siteId}/pause`, { body: {} })
  const id = await start({ action: 'retry', filter: { site_id: siteId } })
  await worked(id)
  expect(await read(id)).toMatchObject({ status: 'done', done: 3 })
  const { body } = await app.ask('GET', `/v1/deliveries?site_id=${siteId}`)
  expect(body.data).toMatchObject(ids.map(() => ({ status: 'waiting', next_attempt_at: null })))
  expect((await app.ask('GET', `/v1/sites/${siteId}`)).body.data.state).toBe('paused')
})

test('owners are mailed once, a few at a time and whichever sites are slow, also where the process is asked to stop meanwhile', async () => {
  const wordPress = await startHostileSite()
  let asked = 0
  let go = () => {}
  const manyAreAsked = new Promise<void>((resolve) => {
    go = resolve
  })
  wordPress.lie({
    async index(answer) {
      asked += 1
      if (asked === 20) go()
      await manyAreAsked
      return answer
    },
  })
  const reaching = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  onTestFinished(async () => {
    await reaching.close()
    await wordPress.close()
  })
  const owners = Array.from({ length: 60 }, (_, number) => `owner-${number}@harbour.example`)
  for (const owner of owners) {
    const id = await storeSite(app, app.owner.id, ['mailed'])
    await app.database.prisma.site.update({
      where: { accountId_id: { accountId: app.owner.id, id } },
      data: { url: wordPress.url, restRoot: `${wordPress.url}/wp-json/`, ownerEmail: owner },
    })
  }
  const mailed: string[] = []
  const atOnce: number[] = []
  let open = 0
  const stopped = new AbortController()
  const mail: SendComposed = async ({ to }) => {
    mailed.push(to)
    stopped.abort()
    open += 1
    atOnce.push(open)
    await wait(20)
    open -= 1
    return { httpStatus: null, error: null }
  }
  const id = await start({ action: 'mail_owner', filter: { label: 'mailed' } })
  expect(await runBulk({ ...needs(), outbound: reaching, mail }, id, stopped.signal)).toBe(false)
  expect(mailed.length).toBeLessThan(owners.length)
  expect(await runBulk({ ...needs(), outbound: reaching, mail }, id, going)).toBe(true)
  expect(mailed.sort()).toEqual(owners.sort())
  expect(Math.max(...atOnce)).toBeLessThanOrEqual(5)
  expect(await read(id)).toMatchObject({ status: 'done', done: owners.length })
})

test('an owner is not mailed again where the process that mailed him was killed, and the job says so', async () => {
  const wordPress = await startHostileSite()
  const reaching = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  onTestFinished(async () => {
    await reaching.close()
    await wordPress.close()
  })
  for (const ownerEmail of ['one@harbour.example', 'two@harbour.example']) {
    const id = await storeSite(app, app.owner.id, ['killed'])
    await app.database.prisma.site.update({
      where: { accountId_id: { accountId: app.owner.id, id } },
      data: { url: wordPress.url, restRoot: `${wordPress.url}/wp-json/`, ownerEmail },
    })
  }
  const mailed: string[] = []
  const mail: SendComposed = async ({ to }) => {
    mailed.push(to)
    throw Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' })
  }
  const id = await start({ action: 'mail_owner', filter: { label: 'killed' } })
  const run = () => runBulk({ ...needs(), outbound: reaching, mail }, id, going)
  await expect(run()).rejects.toThrow()
  expect(await run()).toBe(true)
  expect(mailed.sort()).toEqual(['one@harbour.example', 'two@harbour.example'])
  expect(await read(id)).toMatchObject({ failed: 2, reasons: [{ code: 'MAIL_UNCERTAIN', count: 2 }] })
})

test('404 for the job and the items of one that is not there', async () => {
  for (const path of ['', '/items']) {
    expect((await app.ask('GET', `/v1/bulk/${randomUUID()}${path}`)).status).toBe(404)
    expect((await app.ask('GET', `/v1/bulk/no-id${path}`)).status).toBe(404)
  }
})
