import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { answers, completedAs, startUpstream, type UpstreamServer } from './server.ts'

// An upstream that repeats what it was sent, or answers so late that it says nothing about its source any more.

const KEY = 'sk/upstream "KEY" & more'

let stage: SimulatedStage
let upstream: UpstreamServer
let siteId: string
beforeAll(async () => {
  stage = await startSimulated({ concurrency: 4 })
  siteId = (stage.sites[0] as { id: string }).id
})
afterAll(() => stage.close())
beforeEach(async () => {
  upstream = await startUpstream()
  return () => upstream.close()
})

async function source(key = KEY) {
  const { call } = stage.galley
  const asked = { upstream_base_url: upstream.url, upstream_api_key: key, confirm: true }
  const { body } = await call<{ id: string; data: { url: string } }>('POST', '/v1/sources', {
    ...{ name: 'Maker', ...asked },
  })
  return {
    path: `/v1/sources/${body.id}`,
    send: async (document: object) =>
      expect(await call('POST', new URL(body.data.url).pathname, document)).toMatchObject({ status: 202 }),
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
  const { send } = await source('marketing')
  const document = completed({ siteId })
  upstream.all = completedAs(document.id, completed({ title: 'What marketing costs' }).data)
  await send(document)
  expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
  expect(await find(document.id)).toMatchObject({ title: 'What marketing costs' })
})

it.each(Object.entries(spelled))('says nothing of its key where it fails: %s', async (_, echo) => {
  const { send } = await source()
  const document = completed({ siteId })
  upstream.all = answers({ success: true, id: document.id, status: 'failed', error: { code: `bad ${echo}` } })
  await send(document)
  const held = await settled(stage.galley, document.id)
  expect(held.error).toMatchObject({ code: 'upstream_document_failed' })
  expect(JSON.stringify(held)).toContain('bad [redacted]')
  expect(JSON.stringify(held)).not.toContain(JSON.stringify(echo).slice(1, -1))
})

it('is not taken to refuse a key that it was never asked with', async () => {
  const { path, send } = await source('the-old-key')
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
