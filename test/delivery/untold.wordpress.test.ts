import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Fault } from '../support/proxy/index.ts'
import { findMedia, findPosts, misbehavingSite, type RestItem, rest } from '../support/wordpress/index.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { codesOf, findingsOf, laneWith, postsOf } from './plugin-lane.ts'
import { contentOf, otherPicture, withMore } from './posts.ts'

// Plugins that forbid something that Galley may need only now and then: the doctor asks for it before a delivery does.

let stage: JudgedStage

beforeAll(async () => {
  stage = await startJudgedStage()
})

afterAll(() => stage.close())

test('a media library that this user may not list: said by the doctor, and versions arrive all the same', async () => {
  const { siteId } = await laneWith(stage, 'forbids-listing-media')
  expect(await findingsOf(stage, siteId)).toMatchObject([
    { check: 'media_library', level: 'warning', seen: expect.stringContaining('is for administrators') },
  ])
  const document = stage.documents.make(siteId)
  const first = await stage.deliver(withMore(document, { featured_image: otherPicture(document) }))
  expect(first).toMatchObject({ status: 'delivered', warnings: [] })
  const newer = stage.documents.make(siteId, { version: 'second', of: document })
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
  const document = stage.documents.make(siteId)
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  expect(
    await stage.deliver(stage.documents.make(siteId, { version: 'second', of: document })),
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
  const { siteId, lost } = await losingLane('forbids-listing-media', '/wp/v2/media')
  const document = stage.documents.make(siteId)
  const delivery = await stage.deliver(document)
  expect(lost()).toBe(1)
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

test('users that a plugin shows to administrators alone: a document arrives, and the role cannot be told', async () => {
  const { siteId } = await laneWith(stage, 'blocks-users')
  expect(await findingsOf(stage, siteId)).toEqual([])
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  expect(await stage.deliver(document)).toMatchObject({ status: 'delivered', warnings: [] })
})

test('categories and tags that this user may not read: said by the doctor, and left out with a warning', async () => {
  const { siteId } = await laneWith(stage, 'forbids-reading-terms')
  expect(await findingsOf(stage, siteId)).toMatchObject([
    { check: 'terms', level: 'warning', seen: expect.stringContaining('do not have sufficient permission') },
  ])
  const document = withMore(stage.documents.make(siteId), {}, { tags: [`${stage.documents.word} tag`] })
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(codesOf(delivery)).toEqual(['term_not_created', 'term_not_created'])
})

describe('a plugin that refuses drafts without a text', () => {
  test('is no problem to the doctor, nor to a delivery', async () => {
    const { siteId } = await laneWith(stage, 'refuses-empty-drafts')
    expect(await findingsOf(stage, siteId)).toEqual([])
    const document = stage.documents.make(siteId)
    const delivery = await stage.deliver(document)
    expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
    expect(await contentOf(delivery.post?.id)).toContain(document.says)
    expect(await postsOf(document)).toHaveLength(1)
  })
})

/** Loses the first answer to a creation there, on a site that behaves as with this plugin. */
async function losingLane(plugin: string, path = '/wp/v2/posts') {
  const { siteId, proxy } = await stage.lane('editor')
  const site = await misbehavingSite(plugin)
  onTestFinished(() => site.close())
  let lost = 0
  const losing: Fault = {
    name: `${plugin}, answer lost once`,
    async apply({ forward, reply, reset, request }) {
      const answer = await forward({ headers: { ...request.headers, 'x-galley-test': plugin } })
      const made = request.method === 'POST' && request.path === path && answer.status === 201
      if (made && lost++ === 0) reset()
      else reply(answer)
    },
  }
  proxy.rule({}, losing)
  return { siteId, lost: () => lost }
}

test.each(['fills-new-drafts', 'refuses-empty-drafts'])(
  'a new draft that is not empty, whose answer was lost (%s): found, filled, and nobody is blamed',
  async (plugin) => {
    const { siteId, lost } = await losingLane(plugin)
    const document = stage.documents.make(siteId)
    const delivery = await stage.deliver(document)
    expect(lost()).toBe(1)
    expect(delivery).toMatchObject({ status: 'delivered' })
    expect(await contentOf(delivery.post?.id)).toContain(document.says)
    expect((await postsOf(document)).map(({ id }) => id)).toEqual([delivery.post?.id])
  },
)

test('a new draft that is not empty, whose answer was lost, where slugs do not last: it stays, for it may be anybody’s', async () => {
  const { siteId, lost } = await losingLane('fills-new-drafts,random-slugs')
  const document = stage.documents.make(siteId)
  stage.except(document, 'doubled', 'unfinished')
  const delivery = await stage.deliver(document)
  expect(lost()).toBe(2)
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

test.each([
  ['trims-later', 'block_markup', 'problem', 'without most of its text'],
  ['adds-later', 'block_markup', 'warning', 'changed a moment after it was saved'],
  ['adds-afterwards', 'block_markup', 'warning', 'changed a moment after it was saved'],
  ['publishes-later', 'statuses', 'problem', 'publishes drafts by itself'],
  ['counts-reads', 'block_markup', 'warning', 'changed a moment after it was saved'],
])('the doctor finds one that %s', async (plugin, check, level, says) => {
  const { siteId } = await laneWith(stage, plugin)
  expect(await findingsOf(stage, siteId)).toMatchObject([
    { check, level, seen: expect.stringContaining(says) },
  ])
  expect(await findPosts('search=Galley+connection+check')).toEqual([])
})

test.each(['becomes-page', 'new-becomes-page'])(
  'the doctor takes a draft away that a plugin makes a page (%s)',
  async (plugin) => {
    const { siteId } = await laneWith(stage, plugin)
    const findings = await findingsOf(stage, siteId)
    const pages = await rest<RestItem[]>(
      'administrator',
      'GET',
      '/wp/v2/pages?context=edit&status=any&search=Galley+connection+check',
    )
    onTestFinished(async () => {
      for (const { id } of pages) await rest('administrator', 'DELETE', `/wp/v2/pages/${id}?force=true`)
    })
    expect(findings).toMatchObject([
      { check: 'statuses', level: 'problem', seen: expect.stringContaining('“pages”') },
    ])
    expect(pages).toEqual([])
  },
)

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
      message: expect.stringContaining('turns them into posts of another type'),
    },
  })
})

test('the doctor says that WPML keeps the languages', async () => {
  const { siteId } = await laneWith(stage, 'wpml')
  expect(await findingsOf(stage, siteId)).toMatchObject([
    { check: 'language', level: 'warning', seen: expect.stringContaining('WPML') },
  ])
})

test('with a cache of answers to POST by address, several documents at once get posts of their own', async () => {
  const { siteId } = await laneWith(stage, `caches-post:${crypto.randomUUID()}`)
  const documents = Array.from({ length: 6 }, () => stage.documents.make(siteId))
  const deliveries = await Promise.all(documents.map((document) => stage.deliver(document)))
  for (const [at, { status, post }] of deliveries.entries()) {
    expect(status).toBe('delivered')
    expect(await contentOf(post?.id)).toContain(documents[at]?.says)
  }
  expect(new Set(deliveries.map(({ post }) => post?.id)).size).toBe(6)
})

testVerdict(() => stage)
