import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { completedAs, startUpstream, type UpstreamServer } from './server.ts'

let stage: SimulatedStage
let upstream: UpstreamServer
let siteId: string
beforeAll(async () => {
  stage = await startSimulated()
  siteId = (stage.sites[0] as { id: string }).id
})
afterAll(() => stage.close())
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.close())

async function source(settings: object = {}) {
  const asked = { upstream_base_url: upstream.url, upstream_api_key: 'key-of-the-upstream', ...settings }
  const body = { name: 'Maker', ...asked }
  const made = await stage.galley.call<{ id: string; data: { url: string } }>('POST', '/v1/sources', body)
  return { id: made.body.id, path: new URL(made.body.data.url).pathname }
}

const REFERENCE = 'news/artículo 42?'
const PATH = `/v1/document/status/${encodeURIComponent(REFERENCE)}`

it('a document is confirmed under the name that its sender has for it', async () => {
  upstream.about.set(PATH, completedAs(REFERENCE, completed({ title: 'Confirmed' }).data))
  const { path } = await source({ confirm: true })
  const document = { ...completed({ siteId }), id: REFERENCE }
  expect(await stage.galley.call('POST', path, document)).toMatchObject({ status: 202 })
  expect(await settled(stage.galley, encodeURIComponent(REFERENCE))).toMatchObject({
    status: 'delivered',
    title: 'Confirmed',
    reference: REFERENCE,
  })
})

it('a document that was never announced is asked for under it', async () => {
  upstream.about.set('4712', completedAs(4712 as never, completed().data))
  const { id } = await source()
  const request = { document_ids: [4712], delivery: { id: siteId } }
  expect(await stage.galley.call('POST', `/v1/sources/${id}/backfill`, request)).toMatchObject({
    body: { data: { asked: 1 } },
  })
  expect(await settled(stage.galley, '4712')).toMatchObject({ status: 'delivered', reference: '4712' })
  expect(await stage.galley.call('GET', `/v1/sources/${id}/backfill`)).toMatchObject({
    body: { data: [{ reference: '4712', status: 'found' }] },
  })
})
