import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { withHeaders } from '../support/proxy/index.ts'
import { findMedia, findPosts, misbehavingSite } from '../support/wordpress/index.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { codesOf, draftFindingsWith, findingsOf, laneWith, losingLane, postsOf } from './plugin-lane.ts'
import { contentOf, read } from './posts.ts'

// Other plugins of the kinds that are known (test/wordpress/galley-test-siblings.php): the same promises.

let stage: JudgedStage

beforeAll(async () => {
  stage = await startJudgedStage({}, { picture: false })
})

afterAll(() => stage.close())

test('a plugin that makes other slugs leaves each document its one post; nobody is sent to look for another', async () => {
  const { siteId, proxy } = await laneWith(stage, 'shortens-slugs')
  const document = stage.documents.make(siteId)
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(codesOf(delivery)).toContain('slug_rewritten')
  expect(await postsOf(document)).toHaveLength(1)
  expect(proxy.requests.filter(({ method }) => method === 'DELETE')).toEqual([])
})

test('plugins that rewrite titles and slugs leave one post, with what was changed said; the doctor takes its drafts away', async () => {
  const plugins = 'prefixes-titles,random-slugs'
  const { findings, left } = await draftFindingsWith(plugins)
  expect(findings).toMatchObject([
    { check: 'slugs', level: 'warning' },
    { check: 'titles', level: 'warning' },
  ])
  expect(left).toEqual([])
  const { siteId } = await laneWith(stage, plugins)
  const document = stage.documents.make(siteId)
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(codesOf(delivery)).toEqual(expect.arrayContaining(['slug_rewritten', 'title_changed']))
  const alike = (await findPosts(`search=${encodeURIComponent(document.title)}`)).filter(({ title }) =>
    (title as { raw: string }).raw.toLowerCase().endsWith(document.title),
  )
  expect(alike.map(({ id }) => id)).toEqual([delivery.post?.id])
})

// test/wordpress/doctor/left-behind.wordpress.test.ts has what the doctor says of them.
test('a document of which nothing stays that it is known by is held', async () => {
  const { siteId } = await laneWith(stage, 'replaces-titles,random-slugs')
  const document = stage.documents.make(siteId)
  stage.except(document, 'doubled', 'lost', 'unfinished', 'miscalled')
  expect(await stage.deliver(document)).toMatchObject({
    status: 'held',
    error: { code: 'answer_of_another' },
  })
})

test('a file whose name and slug plugins change is known by its alternative text, also where its answer was lost', async () => {
  const plugins = 'renames-attachments,renames-files,converts-to-webp'
  const { siteId, made } = await losingLane(stage, plugins, '/wp/v2/media')
  const document = stage.documents.make(siteId, { picture: true })
  expect(await stage.deliver(document)).toMatchObject({ status: 'delivered', warnings: [] })
  const next = stage.documents.make(siteId, { picture: true, version: 'second', of: document })
  expect(await stage.deliver(next)).toMatchObject({ status: 'delivered', warnings: [] })
  expect(made()).toBe(1)
  const alts = (await findMedia(`search=${stage.documents.word}`)).map(({ alt_text }) => alt_text)
  expect(alts.filter((alt) => alt === document.alt)).toHaveLength(1)
})

test('a text from the beginning, with what plugins make of it and of slugs, hides no draft that is its own', async () => {
  const { siteId } = await laneWith(stage, 'refuses-empty-drafts,adds-tags,strips-blocks,random-slugs')
  const delivery = await stage.deliver(stage.documents.make(siteId))
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(codesOf(delivery)).toContain('slug_rewritten')
})

test('a draft whose answer was lost is found again where plugins rewrite its title and its slug', async () => {
  const { siteId } = await losingLane(stage, 'prefixes-titles,random-slugs')
  const delivery = await stage.deliver(stage.documents.make(siteId))
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(codesOf(delivery).sort()).toEqual(['slug_changed', 'slug_rewritten', 'title_changed'])
  expect(delivery.timeline.filter(({ outcome }) => outcome === 'adopted')).toHaveLength(1)
})

test('plugins that refuse drafts without a text and two posts of one title, show no users and name no host are no problem to the doctor, nor to a delivery', async () => {
  const plugins = 'refuses-empty-drafts,refuses-same-titles,blocks-users,relative-addresses'
  const { siteId } = await laneWith(stage, plugins)
  expect(await findingsOf(stage, siteId)).toEqual([])
  const document = stage.documents.make(siteId, { picture: true, post_status: 'publish' })
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
  expect(await contentOf(delivery.post?.id)).toContain(document.says)
  expect(await postsOf(document)).toHaveLength(1)
})

test('plugins that take the marks of blocks away, and give a draft with a text another status: found, and said of each post', async () => {
  const plugins = 'strips-blocks,draft-becomes-pending'
  const { findings } = await draftFindingsWith(plugins)
  expect(findings).toHaveLength(2)
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        ...{ check: 'block_markup', level: 'warning' },
        seen: 'The site removes the comments that mark blocks.',
      }),
      expect.objectContaining({
        ...{ check: 'statuses', level: 'warning' },
        seen: 'A plugin turns a draft into “pending”.',
      }),
    ]),
  )
  const { siteId } = await laneWith(stage, plugins)
  const delivery = await stage.deliver(stage.documents.make(siteId))
  expect(delivery).toMatchObject({ status: 'delivered', post: { status: 'pending' } })
  expect(codesOf(delivery).sort()).toEqual(['blocks_stripped', 'status_changed'])
})

test('a password that a plugin puts on what is published: said, with the version that it comes with', async () => {
  const { siteId } = await laneWith(stage, 'sets-password')
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered', post: { status: 'publish' } })
  expect(codesOf(delivery)).toEqual(['password_set'])
  expect(await read(delivery.post?.id)).toMatchObject({ password: 'members' })
})

test('addresses without their scheme: the pictures are shown from the whole address', async () => {
  const { siteId } = await laneWith(stage, 'protocol-relative')
  const delivery = await stage.deliver(stage.documents.make(siteId, { picture: true }))
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
  expect(await contentOf(delivery.post?.id)).toMatch(/<img src="http:\/\/[^/"]+\/wp-content\/uploads\//)
  expect(await findMedia(`parent=${delivery.post?.id}`)).toHaveLength(1)
})

test.each(['refuses-short-403', 'refuses-short-409', 'refuses-to-publish-by-200'])(
  'a plugin that refuses to publish (%s) leaves the whole post as a draft, held with its words',
  async (plugin) => {
    const { siteId } = await laneWith(stage, plugin)
    const document = stage.documents.make(siteId, { post_status: 'publish' })
    const delivery = await stage.deliver(document)
    expect(delivery).toMatchObject({
      status: 'held',
      error: { code: 'not_published', message: expect.stringContaining('Posts need at least 300 words') },
      post: { status: 'draft' },
    })
    const [post, ...others] = await postsOf(document)
    expect([post?.id, others]).toEqual([delivery.post?.id, []])
    expect(await contentOf(post?.id)).toContain('<!-- wp:paragraph -->')
  },
)

test('a plugin that puts the number of the post behind its slug: nobody is told that the slug was taken', async () => {
  const { siteId } = await laneWith(stage, 'numbers-slugs')
  const delivery = await stage.deliver(stage.documents.make(siteId))
  expect(delivery.warnings).toMatchObject([
    { code: 'slug_changed', message: expect.stringContaining('a plugin rewrites slugs') },
  ])
})

test('a text that the REST API shows otherwise each time: held, and no person is blamed', async () => {
  const { siteId } = await laneWith(stage, 'counts-reads')
  const document = stage.documents.make(siteId)
  await stage.deliver(document)
  const newer = stage.documents.make(siteId, { version: 'second', of: document })
  expect(await stage.deliver(newer)).toMatchObject({
    status: 'held',
    error: { code: 'post_changed', message: expect.stringContaining('or what the REST API shows of them') },
  })
})

test('a cache that shows a post as it was before: found by the doctor; held, and no person is blamed', async () => {
  const plugin = `caches-get-by-route:${randomUUID()}`
  const site = await misbehavingSite(plugin)
  onTestFinished(() => site.close())
  const { siteId, proxy } = await stage.lane('editor')
  const document = stage.documents.make(siteId)
  const { post } = await stage.deliver(document)
  // Only now: a slow delivery looks at its empty draft, which would be kept.
  proxy.rule({}, withHeaders({ 'x-galley-test': plugin }))
  expect(await findingsOf(stage, siteId)).toMatchObject([
    { check: 'own_answers', level: 'problem', seen: expect.stringContaining('is shown as it was before') },
  ])
  const versions = ['second', 'third'].map((version) =>
    stage.documents.make(siteId, { version, of: document }),
  )
  // The look for the second version is kept, and WordPress counts in seconds.
  await wait(1_100)
  expect(await stage.deliver(versions[0] as FaultDocument)).toMatchObject({ status: 'delivered' })
  expect(await stage.deliver(versions[1] as FaultDocument)).toMatchObject({
    status: 'held',
    error: { code: 'post_changed', message: expect.stringContaining('a cache answers in WordPress’s place') },
  })
  expect(await contentOf(post?.id)).toContain('The second version')
})

test('a plugin that refuses the text, published or not: held with its words, and nothing is published', async () => {
  const { siteId } = await laneWith(stage, 'refuses-content-403')
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'held', post: { status: 'draft' } })
  expect(delivery.error?.message).toContain('a word that is not wanted here')
  expect(await postsOf(document)).toHaveLength(1)
})

testVerdict(() => stage)
