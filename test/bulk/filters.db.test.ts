import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runBulk } from '../../src/bulk/run.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { storeDeliveries, storeSite } from './stage.ts'

// What a list with a filter shows is what a job with it acts on, whatever stands in the filter.

let app: TestApp
let outbound: ReturnType<typeof createOutbound>
let siteId: string
let ids: string[]

beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 0 })
  outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/test' })
  siteId = await storeSite(app, app.owner.id, ['news', `it's "odd" \\ % _`])
  const other = await storeSite(app, app.owner.id)
  ids = await storeDeliveries(app, { accountId: app.owner.id, siteId, count: 3 })
  await storeDeliveries(app, {
    accountId: app.owner.id,
    siteId: other,
    count: 2,
    status: 'failed',
    code: 'timeout',
  })
  await storeDeliveries(app, { accountId: app.owner.id, siteId: other, count: 1, status: 'cancelled' })
  await app.database.pool.query(
    `UPDATE delivery SET title = 'Tides: 100% of _all_ \\ İstanbul' WHERE id = $1`,
    [ids[0]],
  )
})
afterAll(async () => {
  await outbound.close()
  await app.stop()
})

const dry = (body: object, key = app.owner.key) =>
  app.ask('POST', '/v1/bulk', { body: { action: 'retry', dry_run: true, ...body }, key })

const matched = async (filter: object, more: object = {}): Promise<string[]> => {
  const made = await dry({ filter, ...more })
  expect(made.status, JSON.stringify(made.body)).toBe(202)
  const needs = {
    ...app.database,
    keyring: app.keyring,
    outbound,
    publicUrl: app.url,
    log: pino({ level: 'silent' }),
  }
  await runBulk(needs, made.body.id, new AbortController().signal, 600_000)
  const { body } = await app.ask('GET', `/v1/bulk/${made.body.id}/items?limit=100`)
  return body.data.map(({ id }: { id: string }) => id).sort()
}

const listed = async (path: string, filter: object): Promise<string[]> => {
  const query = new URLSearchParams(
    Object.entries(filter).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  )
  const { body } = await app.ask('GET', `/v1/${path}?limit=100&${query}`)
  return body.data.map(({ id }: { id: string }) => id).sort()
}

const DAY_MS = 86_400_000
const [yesterday, tomorrow] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString()) as [
  string,
  string,
]

test.each([
  { status: ['held', 'failed', 'cancelled'] },
  { status: 'held' },
  { attention: true },
  { attention: 'false', status: 'cancelled' },
  { attention: true, status: ['cancelled'] },
  { attention: true, label: 'news' },
  { attention: true, label: `it's "odd" \\ % _` },
  { attention: true, label: 'nobody has it' },
  { attention: true, search: '%' },
  { attention: true, search: '_ALL_ \\' },
  { attention: true, search: 'İSTANBUL' },
  { attention: true, code: 'TIMEOUT' },
  { attention: true, code: 'no_such_code' },
  { attention: true, created_from: yesterday, created_to: tomorrow },
  { attention: true, created_from: tomorrow },
  { attention: true, updated_to: yesterday },
  { attention: true, created_from: '0001-01-01T00:00:00Z', created_to: '9999-12-31T23:59:59+14:00' },
  { attention: true, source_id: '00000000-0000-0000-0000-000000000000' },
])('deliveries of %j', async (filter) => {
  expect(await matched(filter)).toEqual(await listed('deliveries', filter))
})

test.each([
  {},
  { label: 'news' },
  { state: ['working', 'paused'] },
  { state: 'down' },
  { level: 'problem' },
  { finding: 'rest-api' },
  { search: '%' },
  { search: 'EXAMPLE' },
])('sites of %j', async (filter) => {
  expect(await matched(filter, { action: 'resume' })).toEqual(await listed('sites', filter))
})

test.each([
  ['retry', { level: 'problem' }],
  ['pause', { code: 'timeout' }],
  ['retry', { status: 'nothing' }],
  ['retry', { status: [] }],
  ['retry', { site_id: 'x' }],
  ['retry', { site_id: { $ne: null } }],
  ['retry', { code: `x' OR 1=1` }],
  ['retry', { search: '' }],
  ['retry', { search: 'x'.repeat(256) }],
  ['retry', { search: 'nul \u0000' }],
  ['retry', { created_from: 'yesterday' }],
  ['retry', { created_from: '2026-02-30T00:00:00Z' }],
  ['retry', { limit: 1 }],
  ['retry', { __proto__: null, cursor: 'x' }],
  ['retry', null],
  ['retry', []],
  ['explode', {}],
  ['toString', {}],
])('422 for %s of %j', async (action, filter) => {
  expect((await dry({ action, filter })).status).toBe(422)
})

test('422 for parameters that the action does not have, or lacks', async () => {
  for (const body of [
    { action: 'retry', filter: {}, parameters: { overwrite: true } },
    { action: 'move', filter: {} },
    { action: 'label', filter: {}, parameters: { add: 'news' } },
    { action: 'settings', filter: {}, parameters: { application_password: 'x' } },
    { action: 'retry' },
    { action: 'retry', filter: {}, dry_run: 'no' },
  ])
    expect((await app.ask('POST', '/v1/bulk', { body })).status, JSON.stringify(body)).toBe(422)
})

test('a cursor of another list, another job or another account leads nowhere else', async () => {
  const made = await dry({ filter: { status: 'held' } })
  const stranger = await dry({ filter: {} }, app.stranger.key)
  for (const cursor of [stranger.body.id, siteId, ids[0]]) {
    const { status, body } = await app.ask('GET', `/v1/bulk?cursor=${cursor}`)
    expect(status).toBe(200)
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(stranger.body.id)
    const items = await app.ask('GET', `/v1/bulk/${made.body.id}/items?cursor=${cursor}`)
    expect(items.status).toBe(200)
  }
  expect((await app.ask('GET', `/v1/bulk/${made.body.id}/items?cursor=x`)).status).toBe(422)
  expect((await app.ask('GET', `/v1/bulk/${made.body.id}/items`, { key: app.stranger.key })).status).toBe(404)
})
