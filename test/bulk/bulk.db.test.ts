import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteOldBulkJobs, runBulk } from '../../src/bulk/run.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { storeDeliveries, storeSite } from './stage.ts'

let app: TestApp
let outbound: ReturnType<typeof createOutbound>
let accountId: string
let siteId: string

beforeAll(async () => {
  app = await startApp()
  outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/test' })
  accountId = app.owner.id
})
beforeEach(async () => {
  siteId = await storeSite(app, accountId)
})
afterAll(async () => {
  await outbound.close()
  await app.stop()
})

const going = new AbortController().signal

/** Longer than any of these takes. */
const A_TURN_MS = 600_000

/** Works on a job as a worker does. */
const work = (id: string, stopping = going, pool: Pool = app.database.pool) => {
  const { prisma } = app.database
  return runBulk(
    { prisma, pool, keyring: app.keyring, outbound, publicUrl: app.url, log: pino({ level: 'silent' }) },
    id,
    stopping,
    A_TURN_MS,
  )
}

const create = (body: object, key = app.owner.key) => app.ask('POST', '/v1/bulk', { body, key })

const read = async (id: string) => (await app.ask('GET', `/v1/bulk/${id}`)).body.data

/** A job, worked on to its end. */
async function done(body: object) {
  const { body: made } = await create(body)
  await work(made.id)
  return read(made.id)
}

const held = (count: number, more: object = {}) => storeDeliveries(app, { accountId, siteId, count, ...more })

const statuses = async (ids: string[]): Promise<string[]> => {
  const rows = await app.database.prisma.delivery.findMany({
    where: { id: { in: ids } },
    select: { status: true },
  })
  return [...new Set(rows.map(({ status }) => status))]
}

/** How often each was retried. */
const retries = async (ids: string[]): Promise<number[]> => {
  const { rows } = await app.database.pool.query(
    `SELECT count(s.id)::int AS times FROM unnest($1::uuid[]) AS given (item)
     LEFT JOIN delivery_step s ON s.delivery_id = item AND s.outcome = 'retried' GROUP BY item`,
    [ids],
  )
  return rows.map(({ times }) => times)
}

test('everything that matches is retried once, and what does not is left alone', async () => {
  const [wanted, others] = [await held(120), await held(3, { code: 'other' })]
  const job = await done({ action: 'retry', filter: { site_id: siteId, code: 'post_changed' } })
  expect(job).toMatchObject({ status: 'done', matched: 120, done: 120, skipped: 0, failed: 0, reasons: [] })
  expect(new Set(await retries(wanted))).toEqual(new Set([1]))
  expect(await statuses(others)).toEqual(['held'])
})

test('a retry leaves posts that somebody edited and counts them, and an overwrite does not', async () => {
  const ids = await held(5)
  const { pool } = app.database
  await pool.query("UPDATE delivery SET answered = '{}' WHERE id = ANY ($1)", [ids.slice(0, 3)])
  const filter = { site_id: siteId, code: 'post_changed' }
  expect(await done({ action: 'retry', filter, dry_run: true })).toMatchObject({
    ...{ matched: 5, done: 2, skipped: 3, failed: 0 },
    reasons: [{ outcome: 'skipped', code: 'POST_EDITED', count: 3 }],
  })
  expect(await done({ action: 'overwrite', filter, dry_run: true })).toMatchObject({ done: 5, skipped: 0 })
  await pool.query(
    `UPDATE site SET settings = settings || '{"on_changed_post": "status_only"}' WHERE id = $1`,
    [siteId],
  )
  expect(await done({ action: 'retry', filter })).toMatchObject({ done: 5, skipped: 0 })
  await pool.query("UPDATE site SET settings = settings - 'on_changed_post' WHERE id = $1", [siteId])
})

test('a dry run says what would be done, and changes nothing', async () => {
  const [kept, thinned] = [await held(4), await held(2, { kept: false })]
  const job = await done({ action: 'retry', filter: { site_id: siteId }, dry_run: true })
  expect(job).toMatchObject({ status: 'done', matched: 6, done: 4, failed: 2 })
  expect(job.reasons).toMatchObject([{ outcome: 'failed', code: 'DOCUMENT_THINNED', count: 2 }])
  expect(await retries([...kept, ...thinned])).toEqual([0, 0, 0, 0, 0, 0])
  const { body } = await app.ask('GET', `/v1/bulk/${job.id}/items?outcome=failed`)
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual([...thinned].sort())
})

test('what was delivered is left out, unless the filter names it', async () => {
  await held(2, { status: 'delivered' })
  expect((await done({ action: 'retry', filter: { site_id: siteId }, dry_run: true })).matched).toBe(0)
  const named = { site_id: siteId, status: 'delivered' }
  expect((await done({ action: 'retry', filter: named, dry_run: true })).matched).toBe(2)
})

test('what is changed before its turn comes is skipped', async () => {
  const ids = await held(60)
  const { body } = await create({ action: 'release', filter: { site_id: siteId } })
  // Between what is written down and the first item.
  let queries = 0
  const pool = new Proxy(app.database.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name)
      return async (...args: Parameters<Pool['query']>) => {
        queries += 1
        if (queries === 3)
          await target.query("UPDATE delivery SET status = 'failed' WHERE id = ANY ($1)", [ids.slice(0, 10)])
        return target.query(...args)
      }
    },
  }) as Pool
  await work(body.id, going, pool)
  const job = await read(body.id)
  expect(job).toMatchObject({ matched: 60, done: 50, skipped: 10 })
  expect(job.reasons).toMatchObject([{ outcome: 'skipped', code: 'NO_LONGER_MATCHES', count: 10 }])
})

// Of two turns, and the end; whether the account is enabled is asked before each.
test.each([1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13])(
  'a process that dies at its statement %i leaves nothing undone, and nothing is done twice',
  async (last) => {
    const ids = await held(60)
    const { body } = await create({ action: 'release', filter: { site_id: siteId } })
    let queries = 0
    const dying = new Proxy(app.database.pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name)
        return async (...args: Parameters<Pool['query']>) => {
          queries += 1
          if (queries < last) return target.query(...args)
          // It may be carried out, and nobody hears of it.
          if (queries === last) await target.query(...args)
          throw Object.assign(new Error('the process is gone'), { code: 'ECONNRESET' })
        }
      },
    }) as Pool
    await work(body.id, going, dying).catch(() => undefined)
    expect(queries).toBeGreaterThanOrEqual(last)
    await work(body.id)
    expect(await read(body.id)).toMatchObject({ status: 'done', matched: 60, done: 60 })
    expect(new Set(await retries(ids))).toEqual(new Set([1]))
  },
)

test('what is refused together is done one by one, and each item has its own outcome', async () => {
  const [ids, thinned] = [await held(20), await held(2, { kept: false })]
  const { body } = await create({ action: 'release', filter: { site_id: siteId } })
  let refused = 0
  const pool = new Proxy(app.database.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name)
      return async (...args: Parameters<Pool['query']>) => {
        const { text = '' } = args[0] as { text?: string }
        if (!text.includes('requeued AS (')) return target.query(...args)
        refused += 1
        if (refused > 1) return target.query(...args)
        throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
      }
    },
  }) as Pool
  await work(body.id, going, pool)
  expect(refused).toBe(23)
  const job = await read(body.id)
  expect(job).toMatchObject({ status: 'done', matched: 22, done: 20, failed: 2 })
  expect(job.reasons).toMatchObject([{ outcome: 'failed', code: 'DOCUMENT_THINNED', count: 2 }])
  expect([await retries(ids), await retries(thinned)]).toEqual([ids.map(() => 1), [0, 0]])
})

test('two jobs over the same deliveries of many sites end, and neither waits for the other for ever', async () => {
  const sites = await Promise.all(Array.from({ length: 20 }, () => storeSite(app, accountId)))
  const each = await Promise.all(
    sites.map((id) => storeDeliveries(app, { accountId, siteId: id, count: 10 })),
  )
  const body = { action: 'retry', filter: { site_id: sites, status: ['held', 'queued'] } }
  const jobs = await Promise.all([create(body), create(body), create({ ...body, action: 'overwrite' })])
  await Promise.all(jobs.map(({ body }) => work(body.id)))
  for (const { body } of jobs)
    expect(await read(body.id)).toMatchObject({ status: 'done', matched: 200, failed: 0 })
  expect(new Set(await retries(each.flat()))).toEqual(new Set([3]))
})

test('a process that is overtaken writes nothing more', async () => {
  await held(10)
  const { body } = await create({ action: 'release', filter: { site_id: siteId } })
  let overtaken = false
  const pool = new Proxy(app.database.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name)
      return async (...args: Parameters<Pool['query']>) => {
        const answer = await target.query(...args)
        if (!overtaken) {
          overtaken = true
          await work(body.id)
        }
        return answer
      }
    },
  }) as Pool
  await work(body.id, going, pool)
  expect(await read(body.id)).toMatchObject({ status: 'done', matched: 10, done: 10 })
})

test('a process that is asked to stop leaves the rest to the next', async () => {
  const ids = await held(5)
  const { body } = await create({ action: 'retry', filter: { site_id: siteId } })
  expect(await work(body.id, AbortSignal.abort())).toBe(false)
  expect(await retries(ids)).toEqual([0, 0, 0, 0, 0])
  expect(await work(body.id)).toBe(true)
  expect(await retries(ids)).toEqual([1, 1, 1, 1, 1])
})

test('a cancelled job begins nothing more', async () => {
  const ids = await held(3)
  const { body } = await create({ action: 'retry', filter: { site_id: siteId } })
  expect((await app.ask('POST', `/v1/bulk/${body.id}/cancel`)).body.data.status).toBe('cancelled')
  await work(body.id)
  expect(await read(body.id)).toMatchObject({ status: 'cancelled', done: 0 })
  expect(await statuses(ids)).toEqual(['held'])
})

test('deliveries are cancelled, and moved to a site of the account alone', async () => {
  const ids = await held(2)
  const target = await storeSite(app, accountId)
  const filter = { site_id: siteId }
  expect(await done({ action: 'move', filter, parameters: { site_id: target } })).toMatchObject({ done: 2 })
  expect(await done({ action: 'cancel', filter: { site_id: target } })).toMatchObject({ done: 2 })
  expect(await statuses(ids)).toEqual(['cancelled'])
  const foreign = await storeSite(app, app.stranger.id)
  expect((await create({ action: 'move', filter, parameters: { site_id: foreign } })).status).toBe(422)
})

test('sites are labelled, paused and resumed', async () => {
  const filter = { site_id: siteId }
  await done({ action: 'label', filter, parameters: { add: ['one', 'two'] } })
  await done({ action: 'label', filter, parameters: { add: ['three', 'two'], remove: ['one'] } })
  await done({ action: 'pause', filter, parameters: { reason: 'Moving house' } })
  const shown = async () => (await app.ask('GET', `/v1/sites/${siteId}`)).body.data
  expect(await shown()).toMatchObject({ labels: ['two', 'three'], state: 'paused' })
  await done({ action: 'resume', filter })
  expect((await shown()).state).toBe('unchecked')
})

test('a site has no more labels by several jobs than by one request', async () => {
  const filter = { site_id: siteId }
  const labels = Array.from({ length: 120 }, (_, number) => `label ${number}`)
  const label = (parameters: object) => done({ action: 'label', filter, parameters })
  const shown = async () => (await app.ask('GET', `/v1/sites/${siteId}`)).body.data.labels
  expect(await label({ add: labels.slice(0, 50), remove: await shown() })).toMatchObject({ done: 1 })
  const refused = await label({ add: labels.slice(50, 51) })
  expect(refused).toMatchObject({ failed: 1, reasons: [{ code: 'TOO_MANY_LABELS', count: 1 }] })
  expect(await shown()).toEqual(labels.slice(0, 50))
  await app.database.prisma.site.updateMany({ where: { id: siteId }, data: { labels } })
  expect(await label({ add: ['new'], remove: labels.slice(0, 10) })).toMatchObject({ done: 1 })
  expect(await shown()).toEqual([...labels.slice(10), 'new'])
  await label({ remove: labels.slice(10, 60) })
  await label({ remove: [...labels.slice(60, 109), 'new'] })
  await label({ remove: labels.slice(109) })
  expect(await shown()).toEqual([])
})

test('settings are stored as PATCH would, and what cannot be is said of each site', async () => {
  const body = { action: 'settings', filter: { site_id: siteId }, parameters: { concurrency: 3 } }
  const { status } = await create({ ...body, parameters: { concurrency: 'many' } })
  expect(status).toBe(422)
  expect((await done({ ...body, dry_run: true })).done).toBe(1)
  const concurrency = async () => (await app.ask('GET', `/v1/sites/${siteId}`)).body.data.settings.concurrency
  expect(await concurrency()).not.toBe(3)
  await done(body)
  expect(await concurrency()).toBe(3)
  const job = await done({ ...body, parameters: { post_type: 'pages' } })
  expect(job).toMatchObject({ matched: 1, failed: 1 })
  expect(job.reasons).toMatchObject([{ outcome: 'failed', code: 'SECRET_UNREADABLE', count: 1 }])
})

test('labels and settings that a job changed are put back, and what others changed since stays', async () => {
  const other = await storeSite(app, accountId, ['old'])
  const filter = { site_id: [siteId, other] }
  const site = async (id: string) => (await app.ask('GET', `/v1/sites/${id}`)).body.data
  await done({ action: 'label', filter: { site_id: siteId }, parameters: { add: ['new'] } })
  const labelled = await done({ action: 'label', filter, parameters: { add: ['new'], remove: ['old'] } })
  const settings = { concurrency: 5, render: { embed_addresses: false } }
  const configured = await done({ action: 'settings', filter, parameters: settings })
  await done({ action: 'label', filter: { site_id: other }, parameters: { add: ['since'] } })
  const before = { concurrency: 2, render: { embed_addresses: true } }
  expect(await site(other)).toMatchObject({ labels: ['new', 'since'], settings })

  const undo = (id: string, more = {}) =>
    done({ action: 'undo', filter: {}, parameters: { bulk_id: id }, ...more })
  expect(await undo(labelled.id, { dry_run: true })).toMatchObject({ done: labelled.done })
  expect(await site(other)).toMatchObject({ labels: ['new', 'since'] })
  expect(await undo(labelled.id)).toMatchObject({ matched: labelled.done, done: labelled.done })
  expect(await site(siteId)).toMatchObject({ labels: ['new'], settings })
  expect((await site(other)).labels.sort()).toEqual(['old', 'since'])
  const since = { concurrency: 7 }
  await app.ask('PATCH', `/v1/sites/${other}`, { body: since })
  expect(await undo(configured.id)).toMatchObject({ matched: configured.done, done: configured.done })
  expect((await site(siteId)).settings).toMatchObject(before)
  expect((await site(other)).settings).toMatchObject({ ...before, ...since })

  const tried = await done({ action: 'label', filter, parameters: { add: ['x'] }, dry_run: true })
  expect(await undo(tried.id)).toMatchObject({ status: 'done', matched: 0 })
  const body = { action: 'undo', filter: {}, parameters: { bulk_id: labelled.id } }
  const foreign = await app.ask('POST', '/v1/bulk', { body, key: app.stranger.key })
  await work(foreign.body.id)
  expect(
    (await app.ask('GET', `/v1/bulk/${foreign.body.id}`, { key: app.stranger.key })).body.data,
  ).toMatchObject({
    status: 'done',
    matched: 0,
  })
})

test('another account may have a site under the same id', async () => {
  const shared = await storeSite(app, app.stranger.id, ['theirs'])
  const site = await app.database.prisma.site.findFirstOrThrow({ where: { id: shared } })
  const { settings, report, trouble, ...columns } = site
  await app.database.prisma.site.create({ data: { ...columns, accountId, labels: ['ours'] } })
  const filter = { site_id: shared }
  const labelled = await done({ action: 'label', filter, parameters: { add: ['new'] } })
  expect(labelled).toMatchObject({ status: 'done', done: 1 })
  const undone = await done({ action: 'undo', filter: {}, parameters: { bulk_id: labelled.id } })
  expect(undone).toMatchObject({ done: 1 })
  expect((await app.ask('GET', `/v1/sites/${shared}`)).body.data.labels).toEqual(['ours'])
})

test('an undo that would leave a site with too many labels is refused, and says why', async () => {
  const labels = Array.from({ length: 51 }, (_, number) => `label ${number}`)
  const filter = { site_id: siteId }
  const label = (parameters: object) => done({ action: 'label', filter, parameters })
  await label({ add: labels.slice(0, 50) })
  const removed = await label({ remove: labels.slice(0, 1) })
  await label({ add: labels.slice(50) })
  const undone = await done({ action: 'undo', filter, parameters: { bulk_id: removed.id } })
  expect(undone).toMatchObject({ failed: 1, reasons: [{ code: 'TOO_MANY_LABELS', count: 1 }] })
})

test('an editor moves deliveries, and changes no site: 403', async () => {
  const { key } = (await app.ask('POST', '/v1/keys', { body: { name: 'Editor', role: 'editor' } })).body.data
  expect((await create({ action: 'retry', filter: { site_id: siteId }, dry_run: true }, key)).status).toBe(
    202,
  )
  expect((await create({ action: 'pause', filter: { site_id: siteId } }, key)).status).toBe(403)
})

test('a key that sees some sites acts on those alone, and sees its own jobs alone', async () => {
  const [mine, theirs] = [await held(2), await storeSite(app, accountId)]
  await storeDeliveries(app, { accountId, siteId: theirs, count: 3 })
  const requested = { name: 'Limited', role: 'editor', site_ids: [siteId] }
  const { key } = (await app.ask('POST', '/v1/keys', { body: requested })).body.data
  const { body } = await create({ action: 'retry', filter: {} }, key)
  await work(body.id)
  expect(await read(body.id)).toMatchObject({ matched: 2, done: 2 })
  expect(await statuses(mine)).toEqual(['queued'])
  const other = (await create({ action: 'retry', filter: {}, dry_run: true })).body.id
  expect((await app.ask('GET', `/v1/bulk/${other}`, { key })).status).toBe(404)
  expect((await app.ask('GET', '/v1/bulk', { key })).body.data.map(({ id }: { id: string }) => id)).toEqual([
    body.id,
  ])
})

test('another account meets nothing of this one', async () => {
  const ids = await held(2)
  const { key } = app.stranger
  const { body } = await create({ action: 'retry', filter: { site_id: siteId } }, key)
  await work(body.id)
  expect((await app.ask('GET', `/v1/bulk/${body.id}`, { key })).body.data.matched).toBe(0)
  expect(await statuses(ids)).toEqual(['held'])
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/items'],
    ['POST', '/cancel'],
  ] as const)
    expect((await app.ask(method, `/v1/bulk/${body.id}${path}`)).status, path).toBe(404)
})

test('with an Idempotency-Key there is one job', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const body = { action: 'retry', filter: { site_id: siteId } }
  const [one, two] = [
    await app.ask('POST', '/v1/bulk', { body, headers }),
    await app.ask('POST', '/v1/bulk', { body, headers }),
  ]
  expect(two.body.id).toBe(one.body.id)
})

test('old reports are removed, and those of late stay', async () => {
  await held(3)
  const body = { action: 'retry', filter: { site_id: siteId }, dry_run: true }
  const [old, late] = [await done(body), await done(body)]
  const endedAt = new Date(Date.now() - 100 * 86_400_000)
  await app.database.prisma.bulkJob.update({ where: { id: old.id }, data: { endedAt } })
  await deleteOldBulkJobs(app.database.pool, 90)
  expect((await app.ask('GET', `/v1/bulk/${old.id}`)).status).toBe(404)
  expect(await app.database.prisma.bulkItem.count({ where: { jobId: old.id } })).toBe(0)
  expect((await read(late.id)).done).toBe(3)
})
