import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { settled } from '../support/galley.ts'
import { findPosts, rest } from '../support/wordpress/index.ts'
import { completedAs, startUpstream, type UpstreamServer } from '../upstream/server.ts'
import { contentOf, edit, read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// What a source may do, and whose word counts, up to what stands on a real WordPress.

let stage: DeliveryStage
let upstream: UpstreamServer

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
  upstream = await startUpstream()
})
afterAll(async () => {
  await upstream.close()
  await stage.close()
})

/** Sends through a source of its own, and waits until the delivery rests. */
async function source(requested: object) {
  const { call } = stage.galley
  const made = await call<{ id: string; data: { url: string } }>('POST', '/v1/sources', {
    name: 'Maker',
    ...requested,
  })
  expect(made.status).toBe(201)
  const path = new URL(made.body.data.url).pathname
  return async (document: FaultDocument) => {
    expect(await call('POST', path, document.body)).toMatchObject({ status: 202 })
    return settled(stage.galley, document.id)
  }
}

const confirmed = () =>
  source({ confirm: true, upstream_base_url: upstream.url, upstream_api_key: 'key-of-the-upstream' })

test('a forged webhook publishes nothing', async () => {
  const { siteId, proxy } = await stage.lane()
  const deliver = await confirmed()
  const forged = stage.documents.make(siteId, { post_status: 'publish' })
  expect(await deliver(forged)).toMatchObject({
    status: 'held',
    post: null,
    error: { code: 'upstream_document_unknown', step: 'confirm' },
  })
  expect(await findPosts(`search=${encodeURIComponent(forged.title)}`)).toEqual([])
  expect(proxy.requests).toEqual([])
})

test('the confirmed text is what stands, and of the webhook’s nothing', async () => {
  const siteId = await stage.site()
  const deliver = await confirmed()
  const made = stage.documents.make(siteId, { post_status: 'publish' })
  upstream.about.set(made.id, completedAs(made.id, made.body.data))
  const forged = stage.documents.make(siteId, {
    of: made,
    version: 'forged',
    post_status: 'publish',
  })
  const { post, status } = await deliver(forged)
  expect({ status, posted: post?.status }).toEqual({ status: 'delivered', posted: 'publish' })
  const content = await contentOf(post?.id)
  expect(content).toContain(made.says)
  expect(content).not.toContain(forged.says)
  expect(await findPosts(`search=${encodeURIComponent(made.title)}`)).toHaveLength(1)
})

test('a source that may make nothing but drafts makes a draft, and says so', async () => {
  const siteId = await stage.site()
  const deliver = await source({ limits: { highest_status: 'draft' } })
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  const { post, warnings } = await deliver(document)
  expect((await read(post?.id)).status).toBe('draft')
  expect(warnings).toContainEqual({
    code: 'status_limited',
    severity: 'change',
    message: expect.stringContaining('“draft” at most'),
  })
})

test('and leaves the text of a post that a person has published, until that is asked for', async () => {
  const siteId = await stage.site()
  const deliver = await source({ limits: { highest_status: 'draft' } })
  const first = stage.documents.make(siteId)
  const { post, id } = await deliver(first)
  await edit(post?.id, { status: 'publish' })
  const second = stage.documents.make(siteId, { of: first, version: 'second' })
  expect(await deliver(second)).toMatchObject({ status: 'held', error: { code: 'post_above_limit' } })
  expect(await contentOf(post?.id)).toContain(first.says)

  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`, { overwrite: true })
  expect(await settled(stage.galley, first.id)).toMatchObject({ status: 'delivered' })
  expect(await contentOf(post?.id)).toContain(second.says)
})

test('what a document leaves out it gets from its source, and what it says empty it does not', async () => {
  const siteId = await stage.site()
  const deliver = await source({
    defaults: { post_status: 'pending', tags: [' tide ', ''], categories: ['Uncategorized'] },
  })
  const bare = stage.documents.make(siteId)
  const leaving = { ...bare, body: { ...bare.body, delivery: { id: siteId } } }
  const { post } = await deliver(leaving)
  const { status, tags } = await read(post?.id)
  expect(status).toBe('pending')
  const [tag] = tags as number[]
  expect(await rest('administrator', 'GET', `/wp/v2/tags/${tag}`)).toMatchObject({ name: 'tide' })

  const full = stage.documents.make(siteId)
  const saying = { id: siteId, post_status: 'draft', metadata: { tags: [], categories: [] } }
  const other = await deliver({ ...full, body: { ...full.body, delivery: saying } })
  expect(await read(other.post?.id)).toMatchObject({ status: 'draft', tags: [] })
})

test('members of delivery and of its metadata that are not known are warnings of the delivery', async () => {
  const siteId = await stage.site()
  const deliver = await source({})
  const plain = stage.documents.make(siteId)
  const delivery = {
    id: siteId,
    urgent: true,
    metadata: { tags: [], custom_fields: { a: 1 }, byline: 'Ada' },
  }
  const { warnings, status } = await deliver({ ...plain, body: { ...plain.body, delivery } })
  expect(status).toBe('delivered')
  const unknown = warnings.filter(({ code }) => code === 'member_unknown').map(({ message }) => message)
  for (const name of ['delivery.urgent', 'delivery.metadata.custom_fields', 'delivery.metadata.byline'])
    expect(unknown).toContainEqual(expect.stringContaining(name))
})

test('a document with a reference beside its UUID is asked for by the UUID', async () => {
  const siteId = await stage.site()
  const deliver = await confirmed()
  const made = withMore(stage.documents.make(siteId), {}, { reference: 'order 4711' })
  upstream.about.set(made.id, completedAs(made.id, made.body.data))
  expect(await deliver(made)).toMatchObject({ status: 'delivered' })
})
