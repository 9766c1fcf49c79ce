import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findMedia, misbehavingSite, type RestItem, rest } from '../support/wordpress/index.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { codesOf, draftFindingsWith, findingsOf, laneWith, losingLane, postsOf } from './plugin-lane.ts'
import { contentOf, otherPicture, withMore } from './posts.ts'

// Plugins that forbid something that Galley may need only now and then: the doctor asks for it before a delivery does.

let stage: JudgedStage

beforeAll(async () => {
  stage = await startJudgedStage({}, { picture: false })
})

afterAll(() => stage.close())

test('what this user may not list or read: said by the doctor; terms are left out with a warning, versions arrive all the same', async () => {
  const { siteId } = await laneWith(stage, 'forbids-listing-media,forbids-reading-terms')
  const findings = await findingsOf(stage, siteId)
  expect(findings).toHaveLength(2)
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        ...{ check: 'media_library', level: 'warning' },
        seen: expect.stringContaining('is for administrators'),
      }),
      expect.objectContaining({
        ...{ check: 'terms', level: 'warning' },
        seen: expect.stringContaining('do not have sufficient permission'),
      }),
    ]),
  )
  const document = stage.documents.make(siteId, { picture: true })
  const tags = [`${stage.documents.word} tag`]
  const first = await stage.deliver(withMore(document, { featured_image: otherPicture(document) }, { tags }))
  expect(first).toMatchObject({ status: 'delivered' })
  expect(codesOf(first)).toEqual(['term_not_created', 'term_not_created'])
  const newer = stage.documents.make(siteId, { picture: true, version: 'second', of: document })
  expect(await stage.deliver(newer)).toMatchObject({ status: 'delivered', post: { id: first.post?.id } })
  expect(await contentOf(first.post?.id)).toContain(newer.says)
})

test('a media library that this user may not read: said by the doctor, which leaves no file behind', async () => {
  const { siteId } = await laneWith(stage, 'forbids-reading-media')
  const before = await findMedia('search=galley-check')
  expect(await findingsOf(stage, siteId)).toMatchObject([
    { check: 'media_library', level: 'warning', seen: expect.stringContaining('is for administrators') },
  ])
  expect(await findMedia('search=galley-check')).toHaveLength(before.length)
  const document = stage.documents.make(siteId, { picture: true })
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  expect(
    await stage.deliver(stage.documents.make(siteId, { picture: true, version: 'second', of: document })),
  ).toMatchObject({
    status: 'held',
    error: {
      code: 'rights_missing',
      step: 'media',
      message: expect.stringContaining('is for administrators'),
    },
  })
  expect(await contentOf(post?.id)).toContain(document.says)
})

test('an upload that nobody heard of, where the library may not be listed: held, and not made again', async () => {
  const { siteId, made } = await losingLane(stage, 'forbids-listing-media', '/wp/v2/media')
  const document = stage.documents.make(siteId, { picture: true })
  const delivery = await stage.deliver(document)
  expect(made()).toBe(1)
  expect(delivery).toMatchObject({ status: 'held', error: { code: 'rights_missing', step: 'media' } })
  expect(await findMedia(`parent=${delivery.post?.id}`)).toHaveLength(1)
})

test('a text that a plugin changes when the answer is out: the next version is held, and no person is blamed', async () => {
  const { siteId } = await laneWith(stage, 'trims-later:1200')
  const document = stage.documents.make(siteId)
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  await expect.poll(() => contentOf(post?.id)).not.toContain(document.says)
  expect(
    await stage.deliver(stage.documents.make(siteId, { version: 'second', of: document })),
  ).toMatchObject({
    status: 'held',
    error: { code: 'post_changed', message: expect.stringContaining('within seconds') },
  })
})

test.each(['fills-new-drafts', 'refuses-empty-drafts'])(
  'a new draft that is not empty, whose answer was lost (%s): found, filled, and nobody is blamed',
  async (plugin) => {
    const { siteId, made } = await losingLane(stage, plugin)
    const document = stage.documents.make(siteId)
    const delivery = await stage.deliver(document)
    expect(made()).toBe(1)
    expect(delivery).toMatchObject({ status: 'delivered' })
    expect(await contentOf(delivery.post?.id)).toContain(document.says)
    expect((await postsOf(document)).map(({ id }) => id)).toEqual([delivery.post?.id])
  },
)

test('a new draft that is not empty, whose answer was lost, where slugs do not last: it stays, for it may be anybody’s', async () => {
  const { siteId, made } = await losingLane(stage, 'fills-new-drafts,random-slugs')
  const document = stage.documents.make(siteId)
  stage.except(document, 'doubled', 'unfinished')
  const delivery = await stage.deliver(document)
  expect(made()).toBe(2)
  expect(delivery).toMatchObject({ status: 'delivered' })
  const found = await postsOf(document)
  expect(found).toHaveLength(2)
  const says = found.map(({ content }) => (content as { raw: string }).raw.includes(document.says))
  expect(says.filter(Boolean)).toHaveLength(1)
})

test.each(['random-slugs', 'fills-new-drafts'])(
  'a draft that somebody writes under the same title as a request is lost stays as it is (%s)',
  async (plugin) => {
    const { siteId, proxy } = await stage.lane('editor')
    const site = await misbehavingSite(plugin)
    onTestFinished(() => site.close())
    const document = stage.documents.make(siteId)
    stage.except(document, 'doubled', 'unfinished')
    let mine: RestItem | undefined
    proxy.rule(
      {},
      {
        name: `${plugin}, somebody else writes`,
        async apply({ forward, reply, reset, request }) {
          if (mine === undefined && request.method === 'POST' && request.path === '/wp/v2/posts') {
            const fields = { title: document.title, status: 'draft', content: 'Mine.' }
            mine = await rest<RestItem>('administrator', 'POST', '/wp/v2/posts', fields)
            reset()
          } else reply(await forward({ headers: { ...request.headers, 'x-galley-test': plugin } }))
        },
      },
    )
    const delivery = await stage.deliver(document)
    expect(delivery.status).toBe('delivered')
    expect(await contentOf(mine?.id as number)).toBe('Mine.')
    expect(delivery.post?.id).not.toBe(mine?.id)
  },
)

// What is done at once and what is done later is seen by two looks; what is said of either is the same.
test.each([
  ['trims-afterwards', 'block_markup', 'problem', 'without most of its text'],
  ['adds-later', 'block_markup', 'warning', 'changed a moment after it was saved'],
  ['publishes-later', 'statuses', 'problem', 'publishes drafts by itself'],
  ['trashes', 'statuses', 'problem', 'in the trash as soon as it had text'],
  ['deletes-afterwards', 'statuses', 'problem', 'gone as soon as it had text'],
  ['counts-reads', 'block_markup', 'warning', 'changed a moment after it was saved'],
  ['becomes-page', 'statuses', 'problem', '“pages”'],
  ['new-becomes-page', 'statuses', 'problem', '“pages”'],
])('the doctor finds one that %s, and takes its draft away', async (plugin, check, level, says) => {
  const { findings, left } = await draftFindingsWith(plugin)
  expect(findings).toMatchObject([{ check, level, seen: expect.stringContaining(says) }])
  expect(left).toEqual([])
})

test('a new draft that a plugin makes a page: held, and no person is blamed', async () => {
  const { siteId } = await laneWith(stage, 'new-becomes-page')
  const delivery = await stage.deliver(stage.documents.make(siteId))
  onTestFinished(async () => {
    await rest('administrator', 'DELETE', `/wp/v2/pages/${delivery.post?.id}?force=true`)
  })
  expect(delivery).toMatchObject({
    status: 'held',
    error: {
      code: 'post_deleted',
      message: expect.stringContaining('of another type'),
    },
  })
})

testVerdict(() => stage)
