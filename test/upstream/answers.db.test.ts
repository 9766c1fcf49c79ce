import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type DeliveryData, settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { answers, completedAs } from './server.ts'
import { setUpUpstream, siteId, stage, upstream } from './stage.ts'

// What an upstream answers about documents: under which name it is asked, what it may repeat of what it was sent, and that it
// answers so late that it says nothing about its source any more.

const KEY = 'sk/upstream "KEY" & more'

setUpUpstream()

async function source(settings: object = {}) {
  const asked = { upstream_base_url: upstream.url, upstream_api_key: KEY, ...settings }
  const { body } = await stage.galley.call<{ id: string; data: { url: string } }>('POST', '/v1/sources', {
    ...{ name: 'Maker', ...asked },
  })
  const address = `${stage.galley.url}${new URL(body.data.url).pathname}`
  return {
    path: `/v1/sources/${body.id}`,
    /** @param before what stands before the JSON */
    send: async (document: object, before = '') => {
      const { status } = await fetch(address, { method: 'POST', body: before + JSON.stringify(document) })
      expect(status).toBe(202)
    },
  }
}

const find = async (documentId: string): Promise<DeliveryData> => {
  const { call } = stage.galley
  const list = await call<{ data: { id: string }[] }>('GET', `/v1/deliveries?document_id=${documentId}`)
  return (await call<{ data: DeliveryData }>('GET', `/v1/deliveries/${list.body.data[0]?.id}`)).body.data
}

const spelled = {
  plainly: KEY,
  'as PHP writes JSON, in JSON': JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/'),
  'in an address': encodeURIComponent(KEY),
  'as a form has it': new URLSearchParams({ key: KEY }).toString().slice('key='.length),
  'in HTML': KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  'in base64': Buffer.from(KEY).toString('base64'),
}

it('leaves a document every word, of which a key may be one', async () => {
  const { send } = await source({ upstream_api_key: 'marketing', confirm: true })
  const document = completed({ siteId })
  upstream.all = completedAs(document.id, completed({ title: 'What marketing costs' }).data)
  await send(document)
  expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
  expect(await find(document.id)).toMatchObject({ title: 'What marketing costs' })
})

it.each(Object.entries(spelled))('says nothing of its key where it fails: %s', async (_, echo) => {
  const { send } = await source({ confirm: true })
  const document = completed({ siteId })
  upstream.all = answers({ success: true, id: document.id, status: 'failed', error: { code: `bad ${echo}` } })
  await send(document)
  const held = await settled(stage.galley, document.id)
  expect(held.error).toMatchObject({ code: 'upstream_document_failed' })
  expect(JSON.stringify(held)).toContain('bad [redacted]')
  expect(JSON.stringify(held)).not.toContain(JSON.stringify(echo).slice(1, -1))
})

it('is not taken to refuse a key that it was never asked with', async () => {
  const { path, send } = await source({ upstream_api_key: 'the-old-key', confirm: true })
  const document = completed({ siteId })
  const waiting: ServerResponse[] = []
  upstream.all = (response, request) => {
    if (request.headers.authorization === 'Bearer the-old-key') waiting.push(response)
    else completedAs(document.id, document.data)(response, request)
  }
  await send(document)
  await expect.poll(() => waiting.length).toBe(1)
  expect(await stage.galley.call('PATCH', path, { upstream_api_key: 'the-new-key' })).toMatchObject({
    status: 200,
  })
  waiting[0]?.writeHead(401, { 'Content-Type': 'application/json' }).end('{}')
  await expect.poll(async () => (await find(document.id)).status).toBe('delivered')
  const { body } = await stage.galley.call<{ data: { upstream_trouble: object | null } }>('GET', path)
  expect(body.data.upstream_trouble).toBeNull()
})

const REFERENCE = 'news/artículo 42?'
const PATH = `/v1/document/status/${encodeURIComponent(REFERENCE)}`

it('a document is confirmed under the name that its sender has for it', async () => {
  upstream.about.set(PATH, completedAs(REFERENCE, completed({ title: 'Confirmed' }).data))
  const { send } = await source({ confirm: true })
  await send({ ...completed({ siteId }), id: REFERENCE })
  expect(await settled(stage.galley, encodeURIComponent(REFERENCE))).toMatchObject({
    status: 'delivered',
    title: 'Confirmed',
    reference: REFERENCE,
  })
})

it('a document that was never announced is asked for under it', async () => {
  upstream.about.set('4712', completedAs(4712 as never, completed().data))
  const { path } = await source()
  const request = { document_ids: [4712], delivery: { id: siteId } }
  expect(await stage.galley.call('POST', `${path}/backfill`, request)).toMatchObject({
    body: { data: { asked: 1 } },
  })
  expect(await settled(stage.galley, '4712')).toMatchObject({ status: 'delivered', reference: '4712' })
  expect(await stage.galley.call('GET', `${path}/backfill`)).toMatchObject({
    body: { data: [{ reference: '4712', status: 'found' }] },
  })
})

/** .NET and PowerShell write it before what they send as UTF-8: who takes that in must be able to read it again. */
const BYTE_ORDER_MARK = '\uFEFF'

describe('what begins with a byte order mark', () => {
  it('is delivered', async () => {
    const document = completed({ siteId })
    const { send } = await source()
    await send(document, BYTE_ORDER_MARK)
    expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered', attempts: 0 })
  })

  it('is confirmed, where its source wants that', async () => {
    const document = completed({ siteId })
    upstream.about.set(document.id, completedAs(document.id, completed({ title: 'Confirmed' }).data))
    const { send } = await source({ confirm: true })
    await send(document, BYTE_ORDER_MARK)
    expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered', attempts: 0 })
  })

  it('of a step is looked for, and keeps nobody from being looked for', async () => {
    const { id } = completed()
    const { path, send } = await source({ backfill: true })
    await send({ event: 'text.completed', id, delivery: { id: siteId } }, BYTE_ORDER_MARK)
    // Events are looked at a minute after they came.
    await stage.pool.query(
      `UPDATE event SET id = (lpad(to_hex((extract(epoch FROM now() - interval '2 minutes') * 1000)::bigint), 12, '0')
       || substr(replace(id::text, '-', ''), 13))::uuid WHERE status = 'kept'`,
    )
    await stage.pool.query(`SELECT graphile_worker.add_job('backfill')`)
    const asked = async () =>
      (await stage.galley.call<{ data: object[] }>('GET', `${path}/backfill`)).body.data
    await expect.poll(asked).toMatchObject([{ document_id: id }])
  })
})
