import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { settled } from '../support/galley.ts'
import { contentOf, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// Documents of other formats, up to what stands on a real WordPress.

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
})
afterAll(() => stage.close())

/** A document whose content is another one, in any format. */
function documentOf(siteId: string, content: unknown, delivery: object = {}): FaultDocument {
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  const { data, delivery: asked } = document.body as {
    data: { content: unknown }
    delivery: object
  } & FaultDocument['body']
  data.content = content
  Object.assign(asked, delivery)
  return document
}

test('Markdown comes as blocks, with what its front matter says', async () => {
  const siteId = await stage.site()
  const document = documentOf(siteId, '---\nslug: a-tide-table\n---\n## High water\n\n- [x] **one**\n', {
    metadata: {},
  })
  const { status, post, warnings } = await stage.deliver(document)
  expect(status).toBe('delivered')
  expect(warnings).not.toContainEqual(expect.objectContaining({ severity: 'loss' }))
  const content = await contentOf(post?.id)
  expect(content).toContain('<h2 class="wp-block-heading">High water</h2>')
  expect(content).toContain('<strong>one</strong>')
  expect((await read(post?.id)).slug).toMatch(/^a-tide-table/)
})

test('a source says how its documents are written', async () => {
  const { call } = stage.galley
  const defaults = { content_format: 'html' }
  const made = await call<{ data: { url: string } }>('POST', '/v1/sources', { name: 'Pages', defaults })
  const siteId = await stage.site()
  const document = documentOf(siteId, 'a *b* <em>c</em>')
  expect(await call('POST', new URL(made.body.data.url).pathname, document.body)).toMatchObject({
    status: 202,
  })
  const { post } = await settled(stage.galley, document.id)
  expect(await contentOf(post?.id)).toContain('<p>a *b* <em>c</em></p>')
})

test('the API takes them, and its preview shows them', async () => {
  const { call } = stage.galley
  const siteId = await stage.site()
  const { id, body } = documentOf(siteId, '<p>a <b>b</b></p>')
  const { data } = body as unknown as { data: object }
  const preview = await call<{ data: { post: { content: string } } }>('POST', `/v1/sites/${siteId}/preview`, {
    data,
  })
  expect(preview.body.data.post.content).toContain('<p>a <strong>b</strong></p>')
  expect(await call('POST', '/v1/deliveries', { id, data, site_ids: [siteId] })).toMatchObject({
    status: 202,
  })
  const { post } = await settled(stage.galley, id)
  expect(await contentOf(post?.id)).toContain('<p>a <strong>b</strong></p>')
})

test('what is known and not read is held, and nothing of it is sent', async () => {
  const { siteId, proxy } = await stage.lane()
  const document = documentOf(siteId, { ops: [{ insert: 'Never published\n' }] })
  const held = await stage.deliver(document)
  expect(held).toMatchObject({ status: 'held', post: null, error: { code: 'format_unreadable' } })
  expect(held.error?.message).toContain('a Delta of Quill')
  expect(proxy.requests).toEqual([])
})

test('markup that shows as letters is a loss', async () => {
  const siteId = await stage.site()
  const content = { content: [{ type: 'paragraph', content: 'Some **bold** words' }] }
  const { warnings } = await stage.deliver(documentOf(siteId, content))
  expect(warnings).toMatchObject([{ code: 'looks_like_markdown', severity: 'loss' }])
  const { post } = await stage.deliver(documentOf(siteId, content, { text_format: 'markdown' }))
  expect(await contentOf(post?.id)).toContain('<strong>bold</strong>')
})
