import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findMedia, type RestItem, rest } from '../support/wordpress/index.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { codesOf, laneWith, postsOf } from './plugin-lane.ts'
import { otherPicture, read, withMore } from './posts.ts'

// Plugins that keep or show something else than they were given: no post is called what it is not. Other titles, slugs and
// statuses: test/delivery/together.wordpress.test.ts.

let stage: JudgedStage

beforeAll(async () => {
  stage = await startJudgedStage()
})

afterAll(() => stage.close())

const warned = async (plugin: string, post_status: 'draft' | 'publish' = 'draft') => {
  const { siteId } = await laneWith(stage, plugin)
  return stage.deliver(stage.documents.make(siteId, { post_status }))
}

test('a text that the REST API does not show: held, though the rest of the post stands', async () => {
  const { siteId } = await laneWith(stage, 'hides-text')
  const document = stage.documents.make(siteId)
  expect(await stage.deliver(document)).toMatchObject({
    status: 'held',
    error: { code: 'text_missing', message: expect.stringContaining('shows no text of it') },
  })
  const [post] = await postsOf(document)
  expect(post).toMatchObject({ content: { raw: expect.stringContaining(document.says) } })
})

test('a heading is gone: delivered, and said', async () => {
  const { siteId } = await laneWith(stage, 'drops-headings')
  const document = stage.documents.make(siteId)
  const { content } = (document.body.data as { content: { content: object[] } }).content
  const words = 'One to thirty words that a reader finds under this heading and nowhere else. '
  content.push({ type: 'heading', level: 2, text: 'A heading of five words' })
  content.push({ type: 'paragraph', content: [{ type: 'text', text: words.repeat(5) }] })
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(delivery.warnings).toContainEqual({
    code: 'text_incomplete',
    severity: 'loss',
    message: expect.stringMatching(/lacks 5 of its \d+ words/),
  })
})

test('scheduled instead of published: delivered as what it is, and said', async () => {
  const delivery = await warned('schedules', 'publish')
  expect(delivery).toMatchObject({ status: 'delivered', post: { status: 'future' } })
  expect(codesOf(delivery)).toContain('scheduled')
})

test('slugs are taken away with each save: one post, and nobody is told that its slug was taken', async () => {
  const { siteId } = await laneWith(stage, 'takes-slugs')
  const document = stage.documents.make(siteId)
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered', post: { status: 'draft' } })
  expect(codesOf(delivery).sort()).toEqual(['slug_dropped', 'slug_rewritten'])
  const published = stage.documents.make(siteId, { post_status: 'publish' })
  const data = published.body.data as { content: { meta: object } }
  Object.assign(data.content.meta, { slug: 'of-its-own' })
  const next = await stage.deliver(published)
  expect(next).toMatchObject({ status: 'delivered', post: { status: 'publish' } })
  expect(next.warnings).toContainEqual({
    code: 'slug_changed',
    severity: 'change',
    message: expect.stringContaining('or a plugin rewrites slugs'),
  })
  for (const one of [document, published]) expect(await postsOf(one)).toHaveLength(1)
})

test('a slug stays as it was made: what it was to be is named, though the document left it out', async () => {
  const { siteId } = await laneWith(stage, 'keeps-slugs')
  const document = stage.documents.make(siteId)
  const data = document.body.data as { content: { meta: { slug?: string } } }
  delete data.content.meta.slug
  const { warnings } = await stage.deliver(document)
  expect(warnings).toContainEqual({
    code: 'slug_changed',
    severity: 'change',
    message: expect.stringMatching(/was to be “[a-z0-9-]+”, and the post has “galley-/),
  })
})

test('a category is hidden from the REST API, which shows the others as an object: delivered, and said', async () => {
  const { siteId } = await laneWith(stage, 'hides-a-category')
  const { word } = stage.documents
  const categories = [`${word} shown`, `${word} hidden`, `${word} third`]
  const document = withMore(stage.documents.make(siteId), {}, { categories })
  const delivery = await stage.deliver(document)
  expect([delivery.status, codesOf(delivery)]).toEqual(['delivered', ['categories_dropped']])
})

test('an answer that is there and misread leaves one post', async () => {
  const { siteId } = await laneWith(stage, 'redirects-creations')
  const document = stage.documents.make(siteId)
  expect(await stage.deliver(document)).toMatchObject({ status: 'delivered' })
  expect(await postsOf(document)).toHaveLength(1)
})

test('saved and published, and answered with an error every time: delivered as what it is', async () => {
  const { siteId } = await laneWith(stage, 'fails-after-saving')
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  expect(await stage.deliver(document)).toMatchObject({ status: 'delivered', post: { status: 'publish' } })
  expect((await postsOf(document)).map(({ status }) => status)).toEqual(['publish'])
})

// Plugins that do something to a post once WordPress has made its answer, which shows what was saved: no post is called
// what it is not any more.

test('a post that is trashed as it is saved: held as what it is, and a plugin is named', async () => {
  const { siteId } = await laneWith(stage, 'trashes')
  const delivery = await stage.deliver(stage.documents.make(siteId, { post_status: 'publish' }))
  expect(delivery).toMatchObject({
    status: 'held',
    post: { status: 'trash' },
    error: { code: 'post_trashed', message: expect.stringContaining('A plugin there that removes posts') },
  })
  expect(await read(delivery.post?.id)).toMatchObject({ status: 'trash' })
})

test('a post that is deleted as it is saved: held, and not made again', async () => {
  const { siteId, proxy } = await laneWith(stage, 'deletes-afterwards')
  const document = stage.documents.make(siteId)
  expect(await stage.deliver(document)).toMatchObject({
    status: 'held',
    error: {
      code: 'post_deleted',
      message: expect.stringContaining(
        'A plugin there that deletes posts, or turns them into posts of another type',
      ),
    },
  })
  expect(await postsOf(document)).toEqual([])
  const made = proxy.requests.filter(({ method, path }) => method === 'POST' && path === '/wp/v2/posts')
  expect(made).toHaveLength(1)
})

test('a post that becomes a page as it is saved: held, and the page stays', async () => {
  const { siteId } = await laneWith(stage, 'becomes-page')
  const document = stage.documents.make(siteId)
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'held', error: { code: 'post_deleted' } })
  const page = await rest<RestItem>('administrator', 'GET', `/wp/v2/pages/${delivery.post?.id}?context=edit`)
  onTestFinished(async () => {
    await rest('administrator', 'DELETE', `/wp/v2/pages/${delivery.post?.id}?force=true`)
  })
  expect(page).toMatchObject({ content: { raw: expect.stringContaining(document.says) } })
})

test('a draft that is published as it is saved: held, and shown as published', async () => {
  const { siteId } = await laneWith(stage, 'publishes-afterwards')
  expect(await stage.deliver(stage.documents.make(siteId))).toMatchObject({
    status: 'held',
    error: { code: 'published_early' },
    post: { status: 'publish' },
  })
})

test('a post that is made a draft again as it is published: held, and shown as the draft that it is', async () => {
  const { siteId } = await laneWith(stage, 'unpublishes-afterwards')
  expect(await stage.deliver(stage.documents.make(siteId, { post_status: 'publish' }))).toMatchObject({
    status: 'held',
    error: { code: 'not_published' },
    post: { status: 'draft' },
  })
})

test('a copy that a plugin makes of what is published stays, and so does the post', async () => {
  const { siteId, proxy } = await laneWith(stage, 'copies-on-publish')
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  stage.except(document, 'doubled')
  const first = withMore(document, { featured_image: otherPicture(document) })
  const delivery = await stage.deliver(first)
  expect(delivery).toMatchObject({ status: 'delivered', post: { status: 'publish' } })
  const [post, copy, ...others] = await postsOf(document)
  expect([post, copy].map((one) => one?.id)).toContain(delivery.post?.id)
  expect(others).toEqual([])
  const newer = stage.documents.make(siteId, { post_status: 'publish', version: 'second', of: document })
  expect(await stage.deliver(newer)).toMatchObject({ status: 'delivered', post: { id: delivery.post?.id } })
  const theirs = post?.id === delivery.post?.id ? copy : post
  expect(await read(theirs?.id)).toMatchObject({ content: { raw: expect.stringContaining(first.says) } })
  expect(proxy.requests.filter(({ method }) => method === 'DELETE')).toEqual([])
})

test('a post that WordPress publishes and crashes over is shown as published while it is tried again', async () => {
  const { siteId, proxy } = await laneWith(stage, 'throws-on-terms')
  const made = stage.documents.make(siteId, { post_status: 'publish' })
  const document = withMore(made, {}, { tags: [`${stage.documents.word} crash`] })
  await stage.send(document)
  await expect
    .poll(async () => {
      const { body } = await stage.galley.call<{
        data: { status: string; post: { status: string } | null }[]
      }>('GET', `/v1/deliveries?document_id=${document.id}`)
      return body.data[0]?.post?.status
    })
    .toBe('publish')
  expect(await postsOf(document)).toMatchObject([{ status: 'publish' }])
  // Once the plugin is off it goes on by itself.
  proxy.clear()
  await expect.poll(async () => (await postsOf(document))[0]?.tags).toHaveLength(1)
  expect(await findMedia(`parent=${(await postsOf(document))[0]?.id}`)).toHaveLength(1)
})

testVerdict(() => stage)
