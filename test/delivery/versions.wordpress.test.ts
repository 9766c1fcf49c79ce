import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import { answer, answerAfter, type FaultProxy, pages, resetAfter } from '../support/proxy/index.ts'
import { findMedia, type RestItem, removeTerm, rest } from '../support/wordpress/index.ts'
import { contentOf, deliverFirst, edit, otherPicture, read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// Later versions of a document that has its post, when requests break and people decide in between.

let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
  lane = await stage.lane()
})

afterEach(() => lane.proxy.clear())

afterAll(() => stage.close())

const theFill = (id: number | undefined) => ({ method: 'POST', path: `/wp/v2/posts/${id}`, nth: 1 })

/** While a fill is carried out, unanswered, a newer event comes. @returns how that ends */
const overtaken = (proxy: FaultProxy, id: number | undefined, newer: FaultDocument): Promise<DeliveryData> =>
  new Promise((resolve, reject) => {
    proxy.rule(theFill(id), {
      name: 'a newer event comes, and the connection is reset after WordPress committed',
      async apply(exchange) {
        await stage.send(newer)
        settled(stage.galley, newer.id).then(resolve, reject)
        await resetAfter.apply(exchange)
      },
    })
  })

describe('a fill that breaks', () => {
  test('with effect leaves the newer text all the same', async () => {
    const { siteId, proxy } = lane
    const { post, next } = await deliverFirst(stage, siteId)
    proxy.rule(theFill(post?.id), answerAfter(pages.serverError))
    expect(await stage.deliver(next('second'))).toMatchObject({ status: 'delivered' })
    expect(await contentOf(post?.id)).toContain('The second version')
  })

  test('unanswered, and then a newer one that has no effect, is nobody else’s change', async () => {
    const { siteId, proxy } = lane
    const { post, next } = await deliverFirst(stage, siteId)
    // While the second version is written, unanswered, the third arrives; its own fill has no effect at first.
    const third = overtaken(proxy, post?.id, next('third'))
    proxy.rule({ ...theFill(post?.id), nth: 2 }, answer(pages.serverError))
    await stage.send(next('second'))
    expect(await third).toMatchObject({ status: 'delivered' })
    expect(await contentOf(post?.id)).toContain('The third version')
  })

  test('unanswered, of the tags alone, and then a newer one, is nobody else’s change', async () => {
    const { siteId, proxy } = lane
    const tags = Array.from({ length: 3 }, () => `${stage.documents.word} ${randomUUID()}`)
    const [one, two, three] = tags.map(
      (tag) => (document: FaultDocument) => withMore(document, {}, { tags: [tag] }),
    )
    const document = one?.(stage.documents.make(siteId)) as FaultDocument
    const { post } = await stage.deliver(document)
    const again = () => stage.documents.make(siteId, { of: document })
    const third = overtaken(proxy, post?.id, three?.(again()) as FaultDocument)
    await stage.send(two?.(again()) as FaultDocument)
    expect(await third).toMatchObject({ status: 'delivered', error: null })
    const [made, ...others] = await rest<RestItem[]>('administrator', 'GET', `/wp/v2/tags?post=${post?.id}`)
    expect([made?.name, others]).toEqual([tags[2], []])
    for (const { id } of await rest<RestItem[]>(
      'administrator',
      'GET',
      `/wp/v2/tags?search=${stage.documents.word}`,
    ))
      await removeTerm('tags', id)
  })

  test('unanswered leaves a later decision about the tags to who made it', async () => {
    const { siteId, proxy } = lane
    const { post, next } = await deliverFirst(stage, siteId)
    proxy.rule(theFill(post?.id), resetAfter)
    expect(await stage.deliver(next('second'))).toMatchObject({ status: 'delivered' })
    const tag = await rest<RestItem>('administrator', 'POST', '/wp/v2/tags', { name: randomUUID() })
    onTestFinished(() => removeTerm('tags', tag.id))
    await edit(post?.id, { tags: [tag.id] })
    const held = await stage.deliver(next('third'))
    expect(held).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
    expect(await read(post?.id)).toMatchObject({ tags: [tag.id] })
  })
})

describe('what a person has decided', () => {
  test('about the status lasts for every later version', async () => {
    const { siteId } = lane
    const { post, next } = await deliverFirst(stage, siteId)
    await edit(post?.id, { status: 'publish' })
    for (const version of ['second', 'third']) {
      expect(await stage.deliver(next(version))).toMatchObject({ status: 'delivered' })
      expect((await read(post?.id)).status).toBe('publish')
    }
  })

  test('about the status lasts, also where a version in between asked for the same', async () => {
    const { siteId } = lane
    const { post, next } = await deliverFirst(stage, siteId)
    await edit(post?.id, { status: 'publish' })
    await stage.deliver(next('second', { post_status: 'publish' }))
    expect(await stage.deliver(next('third', { post_status: 'draft' }))).toMatchObject({
      status: 'delivered',
    })
    expect((await read(post?.id)).status).toBe('publish')
  })

  test('is not what Galley itself did, unanswered, about the status', async () => {
    const { siteId, proxy } = lane
    const { post, next } = await deliverFirst(stage, siteId)
    const third = overtaken(proxy, post?.id, next('third', { post_status: 'draft' }))
    await stage.send(next('second', { post_status: 'publish' }))
    expect(await third).toMatchObject({ status: 'delivered' })
    expect(await read(post?.id)).toMatchObject({ status: 'draft' })
  })

  test('is not what a plugin does while Galley writes', async () => {
    const { siteId, proxy } = lane
    const document = stage.documents.make(siteId, { picture: true })
    proxy.rule(
      { method: 'POST', path: /\/posts\/\d+$/, nth: 1 },
      {
        name: 'a plugin sets a featured image',
        async apply({ request, forward, reply }) {
          const id = Number(request.path.split('/').at(-1))
          const [picture] = await findMedia(`parent=${id}`)
          await edit(id, { featured_media: picture?.id })
          reply(await forward())
        },
      },
    )
    const { post } = await stage.deliver(document)
    const featured = (await read(post?.id)).featured_media
    expect(featured).toBeGreaterThan(0)
    const second = withMore(stage.documents.make(siteId, { version: 'second', of: document }), {
      featured_image: otherPicture(document),
    })
    expect(await stage.deliver(second)).toMatchObject({ status: 'delivered' })
    expect((await read(post?.id)).featured_media).not.toBe(featured)
  })

  test('is not what a plugin adds to the first version, unanswered', async () => {
    const { siteId, proxy } = lane
    const name = `${stage.documents.word} ${randomUUID()}`
    const added = await rest<RestItem>('administrator', 'POST', '/wp/v2/tags', { name })
    onTestFinished(() => removeTerm('tags', added.id))
    proxy.rule(
      { method: 'POST', path: /\/posts\/\d+$/, nth: 1 },
      {
        name: 'a plugin adds a tag, and the answer is lost',
        async apply(exchange) {
          await exchange.forward()
          await edit(Number(exchange.request.path.split('/').at(-1)), { tags: [added.id] })
          exchange.reset()
        },
      },
    )
    expect(await stage.deliver(stage.documents.make(siteId))).toMatchObject({ status: 'delivered' })
  })

  test('against publishing lasts, though the answer to the publishing was lost', async () => {
    const { siteId, proxy } = lane
    const { post, next } = await deliverFirst(stage, siteId)
    proxy.rule(theFill(post?.id), resetAfter)
    await stage.deliver(next('second', { post_status: 'publish' }))
    expect((await read(post?.id)).status).toBe('publish')
    await edit(post?.id, { status: 'draft' })
    expect(await stage.deliver(next('third', { post_status: 'publish' }))).toMatchObject({
      status: 'delivered',
    })
    expect(await read(post?.id)).toMatchObject({ status: 'draft' })
    expect(await contentOf(post?.id)).toContain('The third version')
  })

  test('about the featured image is a change to the first version that brings one', async () => {
    const { siteId } = lane
    const { document, post, next } = await deliverFirst(stage, siteId, { picture: true })
    const [picture] = await findMedia(`parent=${post?.id}`)
    await edit(post?.id, { featured_media: picture?.id })
    expect(await stage.deliver(next('second'))).toMatchObject({ status: 'delivered' })
    expect((await read(post?.id)).featured_media).toBe(picture?.id)
    const held = await stage.deliver(withMore(next('third'), { featured_image: otherPicture(document) }))
    expect(held).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
    expect(held.error?.message).toContain('featured image')
  })
})

describe('leave to write over a change', () => {
  const overwrite = (id: string) =>
    stage.galley.call('POST', `/v1/deliveries/${id}/retry`, { overwrite: true })

  test('is used where the document is the same', async () => {
    const { siteId } = lane
    const { document, post, deliveryId } = await deliverFirst(stage, siteId)
    await edit(post?.id, { content: 'Mine.' })
    await overwrite(deliveryId)
    expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
    expect(await contentOf(post?.id)).toContain('The first version')
  })

  test('ends with the delivery that it was given for, though nothing had to be written', async () => {
    const { siteId } = lane
    const { document, post, deliveryId, next } = await deliverFirst(stage, siteId)
    await overwrite(deliveryId)
    await settled(stage.galley, document.id)
    await edit(post?.id, { content: 'Mine.' })
    expect(await stage.deliver(next('second'))).toMatchObject({
      status: 'held',
      error: { code: 'post_changed' },
    })
  })

  test('ends where the delivery is held for something else', async () => {
    const { siteId } = lane
    const { document, post, deliveryId } = await deliverFirst(stage, siteId)
    await rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}`)
    await overwrite(deliveryId)
    expect(await settled(stage.galley, document.id)).toMatchObject({
      error: { code: 'post_trashed' },
      post: { status: 'trash' },
    })
    await edit(post?.id, { status: 'draft', content: 'Mine.' })
    await stage.galley.call('POST', `/v1/deliveries/${deliveryId}/retry`)
    expect(await settled(stage.galley, document.id)).toMatchObject({
      error: { code: 'post_changed' },
      post: { status: 'draft' },
    })
    await rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}?force=true`)
    await stage.galley.call('POST', `/v1/deliveries/${deliveryId}/retry`)
    expect(await settled(stage.galley, document.id)).toMatchObject({
      error: { code: 'post_deleted' },
      post: { status: 'deleted' },
    })
  })
})
