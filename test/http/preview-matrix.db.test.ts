import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { deliverySchema } from '../../src/contract/delivery.ts'
import { previewMatrix } from '../../src/delivery/preview/matrix.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { loadSite } from '../../src/sites/health/load-site.ts'
import { png } from '../support/files.ts'
import { type HostileSite, RawResponse, startHostileSite } from '../support/hostile-site.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let outbound: ReturnType<typeof createOutbound>
let sites: HostileSite[]
let ids: string[]
/** Serves one picture, and counts; answers nothing else. */
let files: Server
let fetched = 0

beforeAll(async () => {
  app = await startApp()
  outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  sites = await Promise.all([startHostileSite(), startHostileSite(), startHostileSite()])
  ids = await Promise.all(sites.map(({ url }) => connect(url)))
  files = createServer((request, response) => {
    if (request.url !== '/moon.png') return
    fetched += 1
    response.writeHead(200, { 'content-type': 'image/png' }).end(png(32, 20, [20, 90, 160]))
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  files.closeAllConnections()
  files.close()
  await outbound.close()
  for (const site of sites) await site.close()
  await app.stop()
})

const address = () => `http://127.0.0.1:${(files.address() as AddressInfo).port}`

async function connect(url: string): Promise<string> {
  const body = { url, username: 'ed', application_password: 'abcd EFGH 1234 abcd EFGH 1234', labels: ['all'] }
  return (await app.ask('POST', '/v1/sites?check=false', { body })).body.id
}

const document = () => completed({ featured_image: `${address()}/moon.png` }).data

const ask = (body: object, key = app.owner.key) => app.ask('POST', '/v1/preview/matrix', { body, key })

test('each site by itself: what it would make and refuse; a picture is fetched once', async () => {
  sites[1]?.lie({ 'users/me': () => new RawResponse(401, '{"code":"incorrect_password","message":"No."}') })
  fetched = 0
  const { status, body } = await ask({ data: document(), site_ids: ids })
  sites[1]?.lie({})
  expect(status).toBe(200)
  expect(body.data.map((row: { site_id: string; outcome: string }) => [row.site_id, row.outcome])).toEqual([
    [ids[0], 'delivered'],
    [ids[1], 'unanswered'],
    [ids[2], 'delivered'],
  ])
  expect(body.data[1].error.message).not.toBe('')
  expect(body.data[0].uploads).toBe(1)
  expect(fetched).toBe(1)
  for (const site of sites) expect(site.posts.size).toBe(0)
})

test('sites are named by labels, or all; one of another account is none', async () => {
  const count = async (choice: object) => (await ask({ data: completed().data, ...choice })).body.data.length
  expect([await count({ labels: ['all'] }), await count({ all: true })]).toEqual([3, 3])
  expect((await ask({ data: completed().data, site_ids: ids }, app.stranger.key)).status).toBe(422)
  expect((await ask({ data: completed().data })).status).toBe(422)
})

test('422 for a document that is none anywhere, before any site is asked', async () => {
  for (const site of sites) site.received.length = 0
  expect((await ask({ data: completed({ blocks: [] }).data, all: true })).status).toBe(422)
  expect(sites.flatMap(({ received }) => received)).toEqual([])
})

test('each row warns of members that are not read, in the words of the call', async () => {
  const delivery = { poststatus: 'publish', site_id: ids[0] }
  const { body } = await ask({ data: completed().data, delivery, all: true })
  for (const { warnings } of body.data)
    expect(warnings).toEqual(
      expect.arrayContaining([
        {
          code: 'member_unknown',
          message: 'delivery.poststatus: "poststatus" is not known here: did you mean "post_status"?',
          severity: 'change',
        },
        {
          code: 'member_unknown',
          message: 'delivery.site_id: is not read here: it belongs in site_ids.',
          severity: 'change',
        },
      ]),
    )
})

/** @param silent one that never answers */
const look = (siteIds: string[], patience: { siteMs: number; allMs: number }, silent?: string) =>
  previewMatrix({
    siteIds,
    patience,
    read: { normalised: normaliseDocument(completed().data as never), sent: completed() },
    wanted: (id) => deliverySchema.parse({ id }),
    sources: { outbound, kept: async () => null } as never,
    async open(id) {
      if (id === silent) await new Promise(() => undefined)
      const context = { pool: app.database.pool, keyring: app.keyring, outbound }
      return (await loadSite(context, { accountId: app.owner.id, id }))?.open() ?? null
    },
    room: async () => () => undefined,
    gone: new AbortController().signal,
  })

test('one that does not answer in its time is said to be too slow', async () => {
  const rows = await look(ids.slice(0, 1), { siteMs: 20, allMs: 60_000 }, ids[0])
  expect(rows).toMatchObject([{ outcome: 'unanswered', error: { code: 'SITE_TOO_SLOW' } }])
})

test('what is not begun when the time is over is said to be not asked; what is not there, to be removed', async () => {
  expect(await look(ids, { siteMs: 2_000, allMs: -1 })).toMatchObject(
    ids.map(() => ({ outcome: 'not_asked' })),
  )
  expect(await look([randomUUID()], { siteMs: 10_000, allMs: 60_000 })).toMatchObject([
    { outcome: 'unanswered', error: { code: 'NOT_FOUND' } },
  ])
})

test('the defaults of a source fill in what its document leaves out, as in its delivery', async () => {
  const defaults = { post_status: 'publish', on_loss: 'hold', content_format: 'html', tags: ['moon'] }
  const made = await app.ask('POST', '/v1/sources', { body: { name: 'Desk', defaults } })
  const data = { title: 'T', content: '*Tides* <input>' }
  const row = async (more: object) => (await ask({ data, site_ids: [ids[0]], ...more })).body.data[0]
  expect(await row({})).toMatchObject({ outcome: 'delivered', status: { asked: 'draft' }, terms: [] })
  const sent = { source_id: made.body.data.id }
  expect(await row(sent)).toMatchObject({
    ...{ outcome: 'held', error: { code: 'CONTENT_LOST' }, status: { asked: 'publish' } },
    terms: [{ taxonomy: 'tags', name: 'moon' }],
  })
  const delivery = { on_loss: 'publish', post_status: 'draft', metadata: { tags: [] } }
  expect(await row({ ...sent, delivery })).toMatchObject({ outcome: 'delivered', terms: [] })
  const body = { data, site_ids: [ids[0]], ...sent }
  const { body: accepted } = await app.ask('POST', '/v1/deliveries', { body })
  const event = await app.ask('GET', `/v1/events/${accepted.id}`)
  expect(JSON.parse(event.body.data.body).delivery).toEqual({
    ...{ id: ids[0], post_status: 'publish', on_loss: 'hold', content_format: 'html' },
    metadata: { tags: ['moon'] },
  })
  expect(await ask({ ...body, source_id: ids[1] })).toMatchObject({ status: 404 })
  const removed = 'UPDATE source SET removed_at = now() WHERE id = $1'
  await app.database.pool.query(removed, [sent.source_id])
  expect(await ask(body)).toMatchObject({ status: 404 })
})

test('a document of a source is at most what that may make, in the preview as in its delivery, and it is said', async () => {
  const limits = { highest_status: 'draft' }
  const made = await app.ask('POST', '/v1/sources', { body: { name: 'Trainees', limits } })
  const body = {
    ...{ data: completed().data, site_ids: [ids[0]], source_id: made.body.data.id },
    delivery: { post_status: 'publish' },
  }
  const { body: rows } = await ask(body)
  expect(rows.data[0]).toMatchObject({
    status: { asked: 'draft', result: 'draft' },
    warnings: expect.arrayContaining([
      expect.objectContaining({ code: 'status_limited', message: expect.stringContaining('“Trainees”') }),
    ]),
  })
  const { body: accepted } = await app.ask('POST', '/v1/deliveries', { body })
  expect(accepted.warnings).toMatchObject([
    { path: 'delivery.post_status', message: expect.stringContaining('“draft” at most') },
  ])
  const event = await app.ask('GET', `/v1/events/${accepted.id}`)
  expect(JSON.parse(event.body.data.body).delivery.post_status).toBe('draft')
})
