import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runBulk } from '../../src/bulk/run.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { sealedPassword } from '../../src/sites/connection.ts'
import { storeDeliveries, storeSite } from '../bulk/stage.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { run } from './world.ts'

// Commands about many at once, on a real service.

let app: TestApp
let outbound: ReturnType<typeof createOutbound>
let siteId: string
let folder: string
beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 0 })
  outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/test' })
  folder = await mkdtemp(join(tmpdir(), 'galley-cli-'))
  siteId = await storeSite(app, app.owner.id, ['news'])
  await storeDeliveries(app, { accountId: app.owner.id, siteId, count: 1_200 })
  await storeDeliveries(app, { accountId: app.owner.id, siteId, count: 2, status: 'failed', kept: false })
})
afterAll(async () => {
  await outbound.close()
  await app.stop()
  await rm(folder, { recursive: true })
})

const galley = (...args: string[]) => run(args, { env: { GALLEY_URL: app.url, GALLEY_KEY: app.owner.key } })
const asJson = async (...args: string[]) => JSON.parse((await galley(...args, '--json')).out)

const work = (id: string) =>
  runBulk(
    { ...app.database, keyring: app.keyring, outbound, publicUrl: app.url, log: pino({ level: 'silent' }) },
    id,
    new AbortController().signal,
    600_000,
  )

test('a job is started, watched, listed and told of item by item', async () => {
  const started = await asJson(
    'bulk',
    'start',
    'retry',
    '--status',
    'held,failed',
    '--label',
    'news',
    '--dry-run',
  )
  expect(started.data).toMatchObject({
    ...{ action: 'retry', dry_run: true },
    filter: { status: ['held', 'failed'], label: 'news' },
  })
  await work(started.id)
  const shown = await galley('bulk', 'show', started.id, '--watch')
  expect(shown).toMatchObject({ code: 7, err: expect.stringContaining('Would fail: 2') })
  expect(shown.err).toContain('Dry run: nothing was changed.')
  expect(shown.out).toMatch(/^would be done +1200$/m)
  expect(shown.out).toMatch(/^2 +would fail +The document of this delivery is too old/m)
  const items = await galley('bulk', 'items', started.id, '--outcome', 'failed')
  expect(items.out.trimEnd().split('\n')).toHaveLength(3)
  expect(items.out).toContain('would fail')
  expect((await galley('bulk', 'list')).out).toMatch(/retry, dry run .*would: 1200/)
})

test('one that did everything ends with 0; one that was cancelled with 7', async () => {
  const { id } = await asJson(
    'bulk',
    'start',
    'label',
    '--search',
    'example',
    '--add',
    'one,two',
    '--remove',
    'news',
  )
  await work(id)
  expect((await galley('bulk', 'show', id, '--watch')).code).toBe(0)
  expect((await app.ask('GET', `/v1/sites/${siteId}`)).body.data.labels).toEqual(['one', 'two'])
  const other = await asJson('bulk', 'start', 'check', '--all')
  expect((await galley('bulk', 'cancel', other.id)).out).toMatch(/^status +cancelled$/m)
  await work(other.id)
  expect(await galley('bulk', 'show', other.id, '--watch')).toMatchObject({
    code: 7,
    err: expect.stringContaining('cancelled'),
  })
})

test('settings come from a file, and the target of a move by its option', async () => {
  await writeFile(join(folder, 'settings.json'), '{"concurrency": 2}')
  const file = join(folder, 'settings.json')
  const settings = await asJson('bulk', 'start', 'settings', '--all', '--settings', file, '--dry-run')
  expect(settings.data.parameters).toEqual({ concurrency: 2 })
  const moved = await asJson('bulk', 'start', 'move', '--code', 'other', '--to', siteId, '--dry-run')
  expect(moved.data.parameters).toEqual({ site_id: siteId })
})

test('the same job under one name is one', async () => {
  const start = () =>
    asJson('bulk', 'start', 'retry', '--status', 'held', '--dry-run', '--idempotency-key', 'once')
  expect((await start()).id).toBe((await start()).id)
})

test('2 without a filter, and for one that the action does not have', async () => {
  expect(await galley('bulk', 'start', 'cancel')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--all'),
  })
  expect(await galley('bulk', 'start', 'retry', '--level', 'problem')).toMatchObject({ code: 2 })
  expect(await galley('bulk', 'start', 'explode', '--all')).toMatchObject({ code: 2 })
})

test('causes say what must be done', async () => {
  const { out } = await galley('deliveries', 'causes')
  expect(out).toMatch(/^1202 +post_changed +1,?202 deliveries to 1 site/m)
})

test('an export is all that matches, whatever a page holds', async () => {
  const csv = await galley('export', 'deliveries', '--status', 'held,failed', '--format', 'csv')
  // By which Excel knows UTF-8.
  expect(csv.out).toMatch(/^\uFEFFid,/)
  expect(csv.code).toBe(0)
  expect(csv.out.trimEnd().split('\r\n')).toHaveLength(1_203)
  const lines = (await galley('export', 'sites', '--label', 'one')).out.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([siteId])
  expect((await galley('export', 'audit', '--format', 'csv')).out).toContain('bulk.create')
  expect((await galley('export', 'deliveries', '--status', 'nothing')).code).toBe(2)
  expect((await galley('export', 'deliveries', '--format', 'xml')).code).toBe(2)
})

test('5 where an export breaks off: what came until then is no whole one', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-request-id': '1' })
    response.write('{"id": "1"}\n')
    setTimeout(() => response.destroy(), 50)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, out, err } = await run(['export', 'deliveries'], {
    env: { GALLEY_URL: url, GALLEY_KEY: 'x' },
  })
  server.close()
  expect([code, out]).toEqual([5, '{"id": "1"}\n'])
  expect(err).toContain('broke off')
})

test('an import is shown with all of its lines', async () => {
  const csv = ['url,username,application_password']
  for (let n = 0; n < 150; n += 1) csv.push(`https://${n}.example,ed,abcd efgh ijkl mnop qrst uvwx`)
  await writeFile(join(folder, 'sites.csv'), [...csv, 'nothing'].join('\n'))
  const { data } = await asJson('imports', 'create', join(folder, 'sites.csv'))
  expect(data).toMatchObject({ lines: 151, waiting: 150, refused: 1 })
  expect(data.results).toHaveLength(151)
  const { out, code } = await galley('imports', 'show', data.id)
  expect(code).toBe(0)
  expect(out).toMatch(/^waiting +150$/m)
  expect(out).toMatch(/^152 +refused/m)
  expect((await galley('imports', 'create', join(folder, 'none.csv'))).code).toBe(4)
})

test('sites with a label are checked by a job, and one with a problem ends the command with 7', async () => {
  const { prisma } = app.database
  const id = await storeSite(app, app.owner.id, ['checked'])
  const checking = galley('sites', 'check', '--label', 'checked')
  const begun = { action: 'check', endedAt: null }
  await expect.poll(() => prisma.bulkJob.count({ where: begun })).toBe(1)
  await work((await prisma.bulkJob.findFirstOrThrow({ where: begun })).id)
  expect(await checking).toMatchObject({
    code: 7,
    out: expect.stringContaining(id),
    err: expect.stringContaining('Something is in the way of deliveries to 1 of the sites.'),
  })
  await storeSite(app, app.owner.id, ['spared'])
  const stopped = galley('sites', 'check', '--label', 'spared')
  await expect.poll(() => prisma.bulkJob.count({ where: begun })).toBe(1)
  const { id: job } = await prisma.bulkJob.findFirstOrThrow({ where: begun })
  await galley('bulk', 'cancel', job)
  await work(job)
  expect(await stopped).toMatchObject({ code: 7, err: expect.stringContaining('was cancelled') })
  const failing = galley('sites', 'check', '--label', 'spared')
  await expect.poll(() => prisma.bulkJob.count({ where: begun })).toBe(1)
  await prisma.bulkJob.updateMany({ where: begun, data: { status: 'failed', endedAt: new Date() } })
  expect(await failing).toMatchObject({ code: 7, err: expect.stringContaining('Galley failed before') })
})

test('a site that cannot be checked is counted beside one with a problem', async () => {
  const { prisma } = app.database
  const id = await storeSite(app, app.owner.id, ['counted'])
  const site = { accountId: app.owner.id, id }
  const connection = { applicationPassword: 'x', restRoot: `https://${id}.example/wp-json/` }
  const applicationPassword = sealedPassword(app.keyring, site, connection)
  await prisma.site.update({ where: { accountId_id: site }, data: { applicationPassword } })
  await storeSite(app, app.owner.id, ['counted'])
  const checking = galley('sites', 'check', '--label', 'counted')
  const begun = { action: 'check', endedAt: null }
  await expect.poll(() => prisma.bulkJob.count({ where: begun })).toBe(1)
  await work((await prisma.bulkJob.findFirstOrThrow({ where: begun })).id)
  expect(await checking).toMatchObject({ code: 7, err: expect.stringContaining('to 2 of the sites.') })
})
