import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { sealRequested } from '../../src/sites/import-job/job.ts'
import { runImport } from '../../src/sites/import-job/work.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { type HostileSite, startHostileSite } from '../support/hostile-site.ts'

const PASSWORD = 'abcd EFGH 1234 abcd EFGH 1234'
let app: TestApp
let outbound: ReturnType<typeof createOutbound>
let sites: HostileSite[]
/** Accepts every request and answers none. */
let silent: Server

beforeAll(async () => {
  app = await startApp()
  outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  sites = await Promise.all([startHostileSite(), startHostileSite(), startHostileSite()])
  silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
})
beforeEach(async () => {
  await app.database.prisma.site.deleteMany()
  for (const site of sites) site.received.length = 0
})
afterAll(async () => {
  silent.closeAllConnections()
  silent.close()
  await outbound.close()
  for (const site of sites) await site.close()
  await app.stop()
})

const going = new AbortController().signal

const work = (id: string, stopping = going, pool: Pool = app.database.pool, through = outbound) =>
  runImport(
    {
      ...app.database,
      pool,
      keyring: app.keyring,
      outbound: through,
      log: pino({ level: 'silent' }),
      resume: async () => 0,
    },
    id,
    stopping,
  )

const file = (urls: string[]) =>
  ['url,username,application_password', ...urls.map((url) => `${url},ed,${PASSWORD}`)].join('\n')

const create = async (body: string, query = ''): Promise<string> => {
  const answer = await app.ask('POST', `/v1/imports${query}`, {
    body,
    headers: { 'content-type': 'text/csv' },
  })
  expect(answer.status).toBe(202)
  return answer.body.id
}

const read = async (id: string) => (await app.ask('GET', `/v1/imports/${id}`)).body.data

const urls = () => sites.map(({ url }) => url)
const stored = () => app.database.prisma.site.count()
const queuedChecks = async () =>
  (await app.database.pool.query(`SELECT FROM graphile_worker.jobs WHERE task_identifier = 'check_site'`))
    .rowCount
const requestedOf = (id: string) =>
  app.database.prisma.siteImportLine.findMany({ where: { importId: id }, select: { requested: true } })

test('of two lines that name one site, the first is tried, also where they have ids of their own', async () => {
  const lines = [randomUUID(), randomUUID(), ''].map((id) => `https://blog.example,ed,${PASSWORD},${id}`)
  const id = await create(['url,username,application_password,id', ...lines].join('\n'), '?dry_run=true')
  const twice = { status: 'skipped', error: { message: 'Line 2 names the same site and user.' } }
  expect((await read(id)).results).toMatchObject([{ status: 'waiting' }, twice, twice])
})

test('202 at once, with what no site has to be asked about; then each line by itself', async () => {
  const id = await create(`${file([...urls(), sites[0]?.url ?? ''])}\nnothing`)
  expect(await read(id)).toMatchObject({ status: 'running', lines: 5, waiting: 3, skipped: 1, refused: 1 })
  await work(id)
  const report = await read(id)
  expect(report).toMatchObject({ status: 'done', waiting: 0, connected: 3, skipped: 1, refused: 1 })
  expect(report.results.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5, 6])
  expect(await queuedChecks()).toBe(3)
  expect(await stored()).toBe(3)
})

test('passwords lie encrypted until their line was tried, and are gone then', async () => {
  const id = await create(file(urls()))
  const kept = await requestedOf(id)
  expect(kept.filter(({ requested }) => requested !== null)).toHaveLength(3)
  expect(JSON.stringify(kept)).not.toContain('EFGH')
  await work(id)
  expect((await requestedOf(id)).filter(({ requested }) => requested !== null)).toEqual([])
})

test('a site that does not answer keeps no other waiting', async () => {
  const hangs = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const id = await create(file([hangs, ...urls()]))
  const stop = new AbortController()
  const working = work(id, stop.signal)
  await expect.poll(async () => (await read(id)).connected).toBe(3)
  expect(await read(id)).toMatchObject({ status: 'running', waiting: 1 })
  silent.closeAllConnections()
  stop.abort()
  await working
})

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'a process that dies at its statement %i connects each site once, by the one that follows',
  async (last) => {
    const id = await create(file(urls()))
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
    await work(id, going, dying).catch(() => undefined)
    await work(id)
    expect(await read(id)).toMatchObject({ status: 'done', connected: 3, refused: 0, skipped: 0 })
    expect(await stored()).toBe(3)
  },
)

test('a process that is asked to stop leaves the rest to the next', async () => {
  const id = await create(file(urls()))
  expect(await work(id, AbortSignal.abort())).toBe(false)
  expect(await stored()).toBe(0)
  expect(await work(id)).toBe(true)
  expect(await stored()).toBe(3)
})

test('a line whose request the end of the process cuts off waits for the next one, with its password', async () => {
  const hangs = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const id = await create(file([hangs, ...urls()]))
  const closing = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  const working = work(id, going, app.database.pool, closing).catch(() => undefined)
  await expect.poll(async () => (await read(id)).connected).toBe(3)
  await closing.close()
  await working
  expect(await read(id)).toMatchObject({ status: 'running', waiting: 1, refused: 0 })
  expect((await requestedOf(id)).filter(({ requested }) => requested !== null)).toHaveLength(1)
})

test('a line that this version cannot read is refused by itself', async () => {
  const id = await create(file(urls()))
  const [line] = await app.database.prisma.siteImportLine.findMany({ where: { importId: id }, take: 1 })
  const requested = sealRequested(app.keyring, line?.id as string, { of_old: true } as never)
  await app.database.prisma.siteImportLine.update({ where: { id: line?.id as string }, data: { requested } })
  await work(id)
  const report = await read(id)
  expect(report).toMatchObject({ status: 'done', connected: 2, refused: 1 })
  expect(report.results.find(({ error }: { error?: object }) => error)).toMatchObject({
    error: { code: 'INTERNAL' },
  })
})

test('a dry run asks every site, and stores none', async () => {
  const id = await create(file(urls()), '?dry_run=true')
  await work(id)
  expect(await read(id)).toMatchObject({
    dry_run: true,
    connected: 0,
    would_connect: 3,
    results: [{ status: 'would_connect' }, { status: 'would_connect' }, { status: 'would_connect' }],
  })
  expect(await stored()).toBe(0)
  for (const site of sites) expect(site.received.length).toBeGreaterThan(0)
})

test('the lines come page by page', async () => {
  const id = await create(file(urls()))
  const { body } = await app.ask('GET', `/v1/imports/${id}?limit=2`)
  expect(body.data.results.map(({ line }: { line: number }) => line)).toEqual([2, 3])
  const { body: next } = await app.ask('GET', `/v1/imports/${id}?limit=2&cursor=${body.next_cursor}`)
  expect([next.data.results.map(({ line }: { line: number }) => line), next.next_cursor]).toEqual([[4], null])
})

test('404 for another account, and 422 for a file that is none', async () => {
  const id = await create(file(urls()))
  for (const cursor of ['2147483648', '9007199254740991'])
    expect((await app.ask('GET', `/v1/imports/${id}?cursor=${cursor}`)).status).toBe(422)
  expect((await app.ask('GET', `/v1/imports/${id}`, { key: app.stranger.key })).status).toBe(404)
  const answer = await app.ask('POST', '/v1/imports', {
    body: 'a,b',
    headers: { 'content-type': 'text/csv' },
  })
  expect([answer.status, answer.body.error.code]).toEqual([422, 'CSV_UNREADABLE'])
})
