import { afterAll, beforeAll, expect, test } from 'vitest'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { codesOf, laneWith, postsOf } from './plugin-lane.ts'
import { withMore } from './posts.ts'

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

testVerdict(() => stage)
