import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { settled } from '../support/galley.ts'
import { laneWith, postsOf } from './plugin-lane.ts'
import { contentOf, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// What becomes of a document that loses something on its way: on_loss of the site, the source and the delivery.

let stage: DeliveryStage
/** Of sites that hold what loses something, and that keep it as a draft. */
let hold: Lane
let draft: Lane

beforeAll(async () => {
  stage = await startStage()
  hold = await stage.lane('editor', { on_loss: 'hold' })
  draft = await stage.lane('editor', { on_loss: 'draft' })
})
afterAll(() => stage.close())

type Requested = Parameters<DeliveryStage['documents']['make']>[1] & { on_loss?: string }

/** A document that is to be published, with more blocks than the picture and the paragraph. */
function documentOf(
  siteId: string,
  blocks: object[],
  { on_loss, ...requested }: Requested = {},
): FaultDocument {
  const document = stage.documents.make(siteId, { post_status: 'publish', ...requested })
  const { data, delivery } = document.body as {
    data: { content: { content: object[] } }
    delivery: object
  } & FaultDocument['body']
  data.content.content.push(...blocks)
  if (on_loss !== undefined) Object.assign(delivery, { on_loss })
  return document
}

/** Its address is missing, as the reading of the document shows. */
const withoutAddress = { type: 'image', alt: 'A chart of the tides' }

/** It is not there, as only the site's delivery shows. */
const gone = () => ({ type: 'image', url: `http://127.0.0.1:9/gone.png`, alt: 'A lost picture' })

const retry = async (document: FaultDocument, id: string, body: object) => {
  expect(await stage.galley.call('POST', `/v1/deliveries/${id}/retry`, body)).toMatchObject({ status: 202 })
  return settled(stage.galley, document.id)
}

describe('hold', () => {
  test('names what is missing, sends nothing to the site, and goes on as somebody decides', async () => {
    const { siteId, proxy } = hold
    proxy.requests.length = 0
    const document = documentOf(siteId, [withoutAddress])
    const held = await stage.deliver(document)
    expect(held).toMatchObject({ status: 'held', post: null, error: { code: 'content_lost' } })
    expect(held.error?.message).toContain('a picture has no address')
    expect(held.error?.message).toContain('"on_loss": "publish"')
    expect(held.warnings).toMatchObject([{ severity: 'loss' }])
    expect(proxy.requests).toEqual([])

    const kept = await retry(document, held.id, { on_loss: 'draft' })
    expect(kept).toMatchObject({ status: 'delivered', post: { status: 'draft' } })
    expect((await read(kept.post?.id)).status).toBe('draft')

    expect(await retry(document, held.id, {})).toMatchObject({ error: { code: 'content_lost' } })
    const published = await retry(document, held.id, { on_loss: 'publish' })
    expect(published).toMatchObject({ status: 'delivered', post: { id: kept.post?.id, status: 'publish' } })
    expect((await read(kept.post?.id)).status).toBe('publish')
  })

  test('is asked for again with a newer version', async () => {
    const { siteId } = hold
    const first = documentOf(siteId, [withoutAddress])
    const { id } = await stage.deliver(first)
    await retry(first, id, { on_loss: 'publish' })
    const second = documentOf(siteId, [withoutAddress], { of: first, version: 'second' })
    const held = await stage.deliver(second)
    expect(held).toMatchObject({ status: 'held', error: { code: 'content_lost' } })
    expect(await contentOf(held.post?.id)).toContain(first.says)
  })

  test('is for pictures that cannot be had too, and for what the site itself takes away', async () => {
    const { siteId } = hold
    const held = await stage.deliver(documentOf(siteId, [gone()]))
    expect(held).toMatchObject({ status: 'held', error: { code: 'content_lost', step: 'fill' } })
    expect(held.error?.message).toContain('gone.png')
    expect((await read(held.post?.id)).status).toBe('draft')

    const lane = await laneWith(stage, 'drops-headings', { on_loss: 'hold' })
    const altered = await stage.deliver(documentOf(lane.siteId, lostHeading))
    expect(altered).toMatchObject({ status: 'held', error: { code: 'content_lost', step: 'verify' } })
    expect((await read(altered.post?.id)).status).toBe('draft')
  })
})

const lostHeading = [
  { type: 'heading', level: 2, text: 'A heading of five words' },
  { type: 'paragraph', content: 'Words that a reader finds under this heading. '.repeat(10) },
]

describe('draft', () => {
  test('leaves a draft and says why; what loses nothing is published', async () => {
    const { siteId } = draft
    const lossy = await stage.deliver(documentOf(siteId, [gone()]))
    expect(lossy).toMatchObject({ status: 'delivered', post: { status: 'draft' } })
    expect(lossy.warnings).toContainEqual({
      code: 'draft_for_loss',
      severity: 'change',
      message: expect.stringContaining('1 part of the document is missing'),
    })
    const whole = await stage.deliver(documentOf(siteId, []))
    expect(whole).toMatchObject({ status: 'delivered', post: { status: 'publish' }, warnings: [] })
    expect((await read(whole.post?.id)).status).toBe('publish')
  })

  test('is never public with what the site took away', async () => {
    const { siteId } = await laneWith(stage, 'drops-headings', { on_loss: 'draft' })
    const { status, post, warnings, timeline } = await stage.deliver(documentOf(siteId, lostHeading))
    expect([status, post?.status]).toEqual(['delivered', 'draft'])
    expect(warnings.map(({ code }) => code)).toEqual(['text_incomplete', 'draft_for_loss'])
    expect(timeline.filter(({ detail }) => detail?.includes('is publish'))).toEqual([])
  })

  test('leaves a post that readers see as it is, and waits for somebody', async () => {
    const { siteId } = draft
    const first = documentOf(siteId, [])
    const { post } = await stage.deliver(first)
    const second = documentOf(siteId, [withoutAddress], { of: first, version: 'second' })
    const held = await stage.deliver(second)
    expect(held).toMatchObject({ status: 'held', error: { code: 'content_lost' } })
    expect(held.error?.message).toContain('Readers see the post already')
    expect(await read(post?.id)).toMatchObject({ status: 'publish' })
    expect(await contentOf(post?.id)).toContain(first.says)
    const written = await retry(second, held.id, { on_loss: 'publish' })
    expect(written).toMatchObject({ status: 'delivered', post: { status: 'publish' } })
    expect(await contentOf(post?.id)).toContain(second.says)
  })
})

test('a delivery goes before its source, and that before the site', async () => {
  const { siteId } = hold
  const { call } = stage.galley
  const source = await call<{ data: { url: string } }>('POST', '/v1/sources', {
    name: 'Maker',
    defaults: { on_loss: 'draft' },
  })
  const path = new URL(source.body.data.url).pathname
  const through = async (document: FaultDocument) => {
    expect(await call('POST', path, document.body)).toMatchObject({ status: 202 })
    return settled(stage.galley, document.id)
  }
  expect(await through(documentOf(siteId, [withoutAddress]))).toMatchObject({ post: { status: 'draft' } })
  const asked = documentOf(siteId, [withoutAddress], { on_loss: 'publish' })
  expect(await through(asked)).toMatchObject({ post: { status: 'publish' } })

  const { id, data } = documentOf(siteId, [withoutAddress]).body
  const delivery = { post_status: 'publish', on_loss: 'draft' }
  await call('POST', '/v1/deliveries', { id, data, delivery, site_ids: [siteId] })
  expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered', post: { status: 'draft' } })
})

test('a preview says what would happen', async () => {
  const { siteId } = hold
  const document = documentOf(siteId, [gone()])
  const { data } = document.body
  const preview = async (delivery: object) =>
    (await stage.galley.call<{ data: object }>('POST', `/v1/sites/${siteId}/preview`, { data, delivery }))
      .body.data
  const post_status = 'publish'
  expect(await preview({ post_status })).toMatchObject({
    outcome: 'held',
    error: { code: 'content_lost' },
    warnings: [{ code: 'file_unavailable', severity: 'loss' }],
  })
  expect(await preview({ post_status, on_loss: 'draft' })).toMatchObject({
    outcome: 'delivered',
    post: { status: { asked: 'publish', result: 'draft' } },
    warnings: [{ code: 'file_unavailable' }, { code: 'draft_for_loss' }],
  })
  expect(await preview({ post_status, on_loss: 'publish' })).toMatchObject({
    outcome: 'delivered',
    post: { status: { asked: 'publish', result: 'publish' } },
  })
  expect(await postsOf(document)).toEqual([])
})
