import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { setClock } from '../support/clock.ts'
import { settled } from '../support/galley.ts'
import type { Fault } from '../support/proxy/index.ts'
import { findMedia, type RestItem, rest } from '../support/wordpress/index.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { laneWith as laneOf, losingLane, postsOf } from './plugin-lane.ts'
import { otherPicture, withMore } from './posts.ts'

let stage: JudgedStage

beforeAll(async () => {
  stage = await startJudgedStage({}, { picture: false })
})

afterAll(() => stage.close())

const laneWith = (plugin: string) => laneOf(stage, plugin)

const contentOf = (post: RestItem | undefined): string =>
  (post?.content as { raw: string } | undefined)?.raw ?? ''

describe('a plugin that caches answers to POST by address', () => {
  test('changes nothing: every request has an address of its own', async () => {
    const { siteId } = await laneWith(`caches-post:${randomUUID()}`)
    const [first, second] = [stage.documents.make(siteId), stage.documents.make(siteId)]
    const deliveries = await Promise.all([first, second].map((document) => stage.deliver(document)))
    expect(deliveries.map(({ status }) => status)).toEqual(['delivered', 'delivered'])
    expect(deliveries[0]?.post?.id).not.toBe(deliveries[1]?.post?.id)
    expect(contentOf((await postsOf(first))[0])).toContain(first.says)
    expect(contentOf((await postsOf(second))[0])).toContain(second.says)
  })

  test('and ignores the query: nothing of another document is deleted, or called delivered', async () => {
    const standing = stage.documents.make(await stage.site())
    const { post } = await stage.deliver(standing)
    const before = await rest<RestItem>('administrator', 'GET', `/wp/v2/posts/${post?.id}?context=edit`)

    const { siteId, proxy } = await stage.lane('editor')
    const name = 'the answer that another document got'
    const cached: Fault = {
      name,
      async apply({ reply }) {
        const body = Buffer.from(JSON.stringify(before))
        reply({ status: 201, headers: { 'content-type': 'application/json' }, body })
      },
    }
    proxy.rule({ method: 'POST', path: '/wp/v2/posts' }, cached)
    const document = stage.documents.make(siteId)
    expect(await stage.deliver(document)).toMatchObject({
      status: 'held',
      post: null,
      error: { code: 'answer_of_another', message: expect.stringContaining('Exclude /wp-json/') },
    })
    expect(proxy.requests.filter(({ method }) => method === 'DELETE')).toEqual([])
    expect(await rest<RestItem>('administrator', 'GET', `/wp/v2/posts/${post?.id}?context=edit`)).toEqual(
      before,
    )

    // Once the cache is off and the site is connected anew, it goes on by itself.
    proxy.clear()
    await stage.galley.call('PATCH', `/v1/sites/${siteId}`, { name: 'repaired' })
    await stage.galley.call('POST', `/v1/deliveries/${(await settled(stage.galley, document.id)).id}/retry`)
    expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
    expect(await postsOf(document)).toHaveLength(1)
  })

  test('a real one by route: the second document is held, the first stands', async () => {
    const { siteId } = await laneWith(`caches-post-by-route:${randomUUID()}`)
    const first = stage.documents.make(siteId)
    const second = stage.documents.make(siteId)
    expect(await stage.deliver(first)).toMatchObject({ status: 'delivered' })
    expect(await stage.deliver(second)).toMatchObject({
      status: 'held',
      error: { code: 'answer_of_another' },
    })
    expect(contentOf((await postsOf(first))[0])).toContain(first.says)
    expect(await postsOf(second)).toEqual([])
  })

  test('an upload that is answered with another file is not believed', async () => {
    const { siteId, proxy } = await stage.lane('editor')
    const first = stage.documents.make(siteId, { picture: true })
    const { post } = await stage.deliver(first)
    const [file] = await findMedia(`parent=${post?.id}`)
    const name = 'the answer for another file'
    proxy.rule(
      { method: 'POST', path: '/wp/v2/media' },
      {
        name,
        async apply({ reply }) {
          const kept = await rest<RestItem>('administrator', 'GET', `/wp/v2/media/${file?.id}?context=edit`)
          const body = Buffer.from(JSON.stringify(kept))
          reply({ status: 201, headers: { 'content-type': 'application/json' }, body })
        },
      },
    )
    const document = stage.documents.make(siteId, { picture: true })
    expect(await stage.deliver(document)).toMatchObject({
      status: 'held',
      error: { code: 'answer_of_another', step: 'media' },
    })
    expect((await findMedia(`parent=${post?.id}`)).map(({ id }) => id)).toEqual([file?.id])
  })
})

describe('a plugin that rewrites slugs', () => {
  test('a reserve that nobody heard of is known by its title and time, also where the clock is put back meanwhile', async () => {
    onTestFinished(() => void vi.restoreAllMocks())
    const { siteId, made } = await losingLane(stage, 'rewrites-slugs', '/wp/v2/posts', () =>
      setClock(-3_600_000),
    )
    const document = stage.documents.make(siteId)
    const { status, post } = await stage.deliver(document)
    expect(status).toBe('delivered')
    expect((await postsOf(document)).map(({ id }) => id)).toEqual([post?.id])
    expect(made()).toBe(1)
  })
})

test('a plugin that keeps each file once: the second document is held, and says so; the first keeps its file', async () => {
  const { siteId } = await laneWith('keeps-files-once')
  const document = stage.documents.make(siteId, { picture: true })
  const { post } = await stage.deliver(document)
  const before = await findMedia(`parent=${post?.id}`)
  expect(before).toHaveLength(1)
  // All pictures of a stage are the same file, at addresses of their own.
  expect(await stage.deliver(stage.documents.make(siteId, { picture: true }))).toMatchObject({
    status: 'held',
    error: {
      code: 'answer_of_another',
      step: 'media',
      message: expect.stringContaining(`attachment ${before[0]?.id}, which has the same content`),
    },
  })
  expect(await findMedia(`parent=${post?.id}`)).toEqual(before)
})

test('a plugin that renames attachments: an upload that nobody heard of is known by its name and its post', async () => {
  const { siteId } = await losingLane(stage, 'renames-attachments', '/wp/v2/media')
  const document = stage.documents.make(siteId, { picture: true })
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  expect(await findMedia(`parent=${post?.id}`)).toHaveLength(1)
})

describe('a plugin that changes what is saved', () => {
  test('the text is gone: held, and said', async () => {
    const { siteId } = await laneWith('drops-text')
    const delivery = await stage.deliver(stage.documents.make(siteId))
    expect(delivery).toMatchObject({
      status: 'held',
      error: { code: 'text_missing', message: expect.stringContaining('little or nothing of its text') },
    })
  })

  test('the pictures are gone: held, and said', async () => {
    const { siteId } = await laneWith('drops-pictures')
    expect(await stage.deliver(stage.documents.make(siteId, { picture: true }))).toMatchObject({
      status: 'held',
      error: { code: 'pictures_missing' },
    })
  })

  test('not published: held, and the post is shown as the draft that it is', async () => {
    const { siteId } = await laneWith('forbids-publishing')
    const delivery = await stage.deliver(stage.documents.make(siteId, { post_status: 'publish' }))
    expect(delivery).toMatchObject({
      status: 'held',
      error: { code: 'not_published' },
      post: { status: 'draft' },
    })
  })

  test('published though it was to stay a draft: held, and shown as published', async () => {
    const { siteId } = await laneWith('publishes-drafts')
    const delivery = await stage.deliver(stage.documents.make(siteId))
    expect(delivery).toMatchObject({
      status: 'held',
      error: { code: 'published_early', message: expect.stringContaining(' published post ') },
      post: { status: 'publish' },
    })
  })

  test('what it asks of everybody but the editor is asked of Galley', async () => {
    const { siteId } = await laneWith('exempts-the-editor')
    const delivery = await stage.deliver(stage.documents.make(siteId, { post_status: 'publish' }))
    expect(delivery).toMatchObject({ status: 'held', error: { code: 'not_published' } })
  })
})

describe('a plugin with statuses of its own', () => {
  test('a reserve that nobody heard of is found in a status that core does not know', async () => {
    const { siteId, proxy, made } = await losingLane(stage, 'own-statuses')
    const document = stage.documents.make(siteId, { post_status: 'publish' })
    const { status, post } = await stage.deliver(document)
    expect(status).toBe('delivered')
    expect((await postsOf(document)).map(({ id }) => id)).toEqual([post?.id])
    expect(made()).toBe(1)
    expect(
      proxy.requests.filter(({ method, path }) => method === 'DELETE' && path.includes('posts')),
    ).toEqual([])
  })
})

test('a plugin that crashes over a new draft with a slug: the slug is set once the post is there', async () => {
  const { siteId } = await laneWith('crashes-on-slugs')
  const document = stage.documents.make(siteId)
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
  expect(delivery.timeline.filter(({ outcome }) => outcome === 'will_retry')).toEqual([])
  expect((await postsOf(document)).map(({ id }) => id)).toEqual([delivery.post?.id])
})

test('the same plugin, and several documents at once: each has its one post', async () => {
  const { siteId } = await laneWith('crashes-on-slugs')
  const documents = Array.from({ length: 3 }, () => stage.documents.make(siteId))
  const deliveries = await Promise.all(documents.map((document) => stage.deliver(document)))
  for (const [at, { status, post }] of deliveries.entries()) {
    expect(status).toBe('delivered')
    expect((await postsOf(documents[at] as FaultDocument)).map(({ id }) => id)).toEqual([post?.id])
  }
})

test('a plugin that takes back what is published without an image, and ends the request: holds, says its words, and stops nobody else', async () => {
  const { siteId } = await laneWith('ends-without-image')
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({
    status: 'held',
    post: { status: 'draft' },
    error: {
      code: 'not_published',
      message: expect.stringContaining('You cannot publish without a featured image'),
    },
  })
  const [post, ...others] = await postsOf(document)
  expect([contentOf(post).includes(document.says), others]).toEqual([true, []])
  const site = await stage.galley.call<{ data: { trouble: object | null } }>('GET', `/v1/sites/${siteId}`)
  expect(site.body.data.trouble).toBeNull()
  expect(await stage.deliver(stage.documents.make(siteId))).toMatchObject({ status: 'delivered' })
})

test('the same in words that nobody knows, of several at once: each comes to what it is to be', async () => {
  const { siteId } = await laneWith('ends-in-other-words')
  // One of them at fault: each failure doubles the pause of the site, and two would come to minutes on a busy machine.
  const requested = Array.from({ length: 3 }, (_, n) => {
    const document = stage.documents.make(siteId, {
      picture: n === 1,
      post_status: n === 0 ? 'draft' : 'publish',
    })
    return n === 1 ? withMore(document, { featured_image: otherPicture(document) }) : document
  })
  const came = await Promise.all(
    requested.map(async (requested) => {
      const { status, post, error } = await stage.deliver(requested)
      expect((await postsOf(requested)).map(({ id }) => id)).toEqual([post?.id])
      return { status: `${status} ${post?.status}`, error }
    }),
  )
  expect(came.map(({ status }) => status)).toEqual(['delivered draft', 'delivered publish', 'held draft'])
  expect(came[2]?.error).toMatchObject({
    code: 'not_published',
    message: expect.stringContaining('Il manque une image'),
  })
})

test('a checklist that asks for a featured image of a document that has none: held', async () => {
  const { siteId } = await laneWith('keeps-without-image')
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  const { status, error } = await stage.deliver(document)
  expect({ status, error }).toMatchObject({
    status: 'held',
    error: { code: 'not_published', message: expect.stringContaining('as “draft”') },
  })
  expect(error?.message).toContain('the post has no featured image, which such plugins often ask for')
})

testVerdict(() => stage)
