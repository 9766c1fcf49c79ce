import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { settled } from '../support/galley.ts'
import { answer, answerAfter, type Fault, pages, resetAfter } from '../support/proxy/index.ts'
import { findMedia, findPosts, type RestItem, removePost, rest } from '../support/wordpress/index.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// Later versions of a document that has its post, when requests break and people decide in between.

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

const read = (id: number | undefined): Promise<RestItem> =>
  rest('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)
const edit = (id: number | undefined, fields: object): Promise<RestItem> =>
  rest('administrator', 'POST', `/wp/v2/posts/${id}?context=edit`, fields)
const contentOf = async (id: number | undefined): Promise<string> =>
  ((await read(id)).content as { raw: string }).raw

const theFill = (id: number | undefined) => ({ method: 'POST', path: `/wp/v2/posts/${id}`, nth: 1 })

/** Delivers a first version, and makes the later ones. */
async function first(siteId: string, wish: Parameters<DeliveryStage['documents']['make']>[1] = {}) {
  const document = stage.documents.make(siteId, wish)
  const { post, id } = await stage.deliver(document)
  const next = (version: string, more = {}): FaultDocument =>
    stage.documents.make(siteId, { ...wish, version, of: document, ...more })
  return { document, post, deliveryId: id, next }
}

describe('a fill that breaks', () => {
  test.each<[string, Fault]>([
    ['without effect', answer(pages.serverError)],
    ['with effect', answerAfter(pages.serverError)],
  ])('%s leaves the newer text all the same', async (_, fault) => {
    const { siteId, proxy } = await stage.lane()
    const { post, next } = await first(siteId)
    proxy.rule(theFill(post?.id), fault)
    expect(await stage.deliver(next('second'))).toMatchObject({ status: 'delivered' })
    expect(await contentOf(post?.id)).toContain('The second version')
  })

  test('unheard, and then a newer one that has no effect, is nobody else’s change', async () => {
    const { siteId, proxy } = await stage.lane()
    const { post, next } = await first(siteId)
    // While the second version is written, unheard, the third arrives; its own fill has no effect at first.
    proxy.rule(theFill(post?.id), {
      name: 'a newer event comes, and the connection is reset after WordPress committed',
      async apply(exchange) {
        await stage.send(next('third'))
        await resetAfter.apply(exchange)
      },
    })
    proxy.rule({ ...theFill(post?.id), nth: 2 }, answer(pages.serverError))
    await stage.send(next('second'))
    await expect.poll(() => contentOf(post?.id), { timeout: 30_000 }).toContain('The third version')
  })

  test('unheard leaves a later decision about the tags to who made it', async () => {
    const { siteId, proxy } = await stage.lane()
    const { post, next } = await first(siteId)
    proxy.rule(theFill(post?.id), resetAfter)
    expect(await stage.deliver(next('second'))).toMatchObject({ status: 'delivered' })
    const tag = await rest<RestItem>('administrator', 'POST', '/wp/v2/tags', { name: randomUUID() })
    await edit(post?.id, { tags: [tag.id] })
    const held = await stage.deliver(next('third'))
    expect(held).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
    expect(await read(post?.id)).toMatchObject({ tags: [tag.id] })
    await rest('administrator', 'DELETE', `/wp/v2/tags/${tag.id}?force=true`)
  })
})

describe('what a person has decided', () => {
  test.each(['hold', 'status_only'])(
    'about the status lasts for every later version (%s)',
    async (policy) => {
      const { siteId } = await stage.lane('editor', { on_changed_post: policy })
      const { post, next } = await first(siteId)
      await edit(post?.id, { status: 'publish', ...(policy === 'status_only' && { content: 'Mine.' }) })
      for (const version of ['second', 'third']) {
        expect(await stage.deliver(next(version))).toMatchObject({ status: 'delivered' })
        expect((await read(post?.id)).status).toBe('publish')
      }
    },
  )

  test('against publishing lasts, though the answer to the publishing was lost', async () => {
    const { siteId, proxy } = await stage.lane()
    const { post, next } = await first(siteId)
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
    const { siteId } = await stage.lane()
    const { post, next } = await first(siteId)
    const [picture] = await findMedia(`parent=${post?.id}`)
    await edit(post?.id, { featured_media: picture?.id })
    await stage.deliver(next('second'))
    const third = next('third')
    const data = third.body.data as { content: { content: { url?: string }[] } }
    const url = data.content.content.find((block) => block.url)?.url
    const featured_image = url?.replace(/\d+\.png/, '4999.png')
    const held = await stage.deliver({ ...third, body: { ...third.body, data: { ...data, featured_image } } })
    expect(held).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
    expect(held.error?.message).toContain('featured image')
  })
})

describe('leave to write over a change', () => {
  const overwrite = (id: string) =>
    stage.galley.call('POST', `/v1/deliveries/${id}/retry`, { overwrite: true })

  test('is used where the document is the same', async () => {
    const { siteId } = await stage.lane()
    const { document, post, deliveryId } = await first(siteId)
    await edit(post?.id, { content: 'Mine.' })
    await overwrite(deliveryId)
    expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
    expect(await contentOf(post?.id)).toContain('The first version')
  })

  test('ends with the delivery that it was given for, though nothing had to be written', async () => {
    const { siteId } = await stage.lane()
    const { document, post, deliveryId, next } = await first(siteId)
    await overwrite(deliveryId)
    await settled(stage.galley, document.id)
    await edit(post?.id, { content: 'Mine.' })
    expect(await stage.deliver(next('second'))).toMatchObject({
      status: 'held',
      error: { code: 'post_changed' },
    })
  })

  test('ends where the delivery is held for something else', async () => {
    const { siteId } = await stage.lane()
    const { document, post, deliveryId } = await first(siteId)
    await rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}`)
    await overwrite(deliveryId)
    expect(await settled(stage.galley, document.id)).toMatchObject({ error: { code: 'post_trashed' } })
    await edit(post?.id, { status: 'draft', content: 'Mine.' })
    await stage.galley.call('POST', `/v1/deliveries/${deliveryId}/retry`)
    expect(await settled(stage.galley, document.id)).toMatchObject({ error: { code: 'post_changed' } })
  })
})

test('a reserve that nobody heard of is adopted though the site wants pages since', async () => {
  const { siteId, proxy } = await stage.lane()
  const document = stage.documents.make(siteId)
  let changed: number | undefined
  proxy.rule(
    { method: 'POST', path: '/wp/v2/posts', nth: 1 },
    {
      name: 'the setting changes while the answer is lost',
      async apply(exchange) {
        changed = (await stage.galley.call('PATCH', `/v1/sites/${siteId}`, { post_type: 'pages' })).status
        await answerAfter(pages.badGateway).apply(exchange)
      },
    },
  )
  const { status, post } = await stage.deliver(document)
  expect({ status, changed }).toEqual({ status: 'delivered', changed: 200 })
  const found = await findPosts(`search=${stage.documents.word}`)
  expect(found.filter(({ title }) => (title as { raw: string }).raw === document.title)).toMatchObject([
    { id: post?.id },
  ])
  const madeAsPages = await rest<RestItem[]>(
    'administrator',
    'GET',
    `/wp/v2/pages?status=any&search=${stage.documents.word}`,
  )
  expect(madeAsPages).toEqual([])
})

describe('on a site that was restored from a backup', () => {
  test('another post that has the number of a reserve is left alone', async () => {
    const { siteId, proxy } = await stage.lane('editor', { on_changed_post: 'overwrite' })
    const document = stage.documents.make(siteId)
    let before: RestItem | undefined
    proxy.rule(
      { method: 'POST', path: '/wp/v2/media', nth: 1 },
      {
        name: 'the site is restored',
        async apply({ reply }) {
          const { rows } = await stage.pool.query('SELECT post_id FROM delivery WHERE document_id = $1', [
            document.id,
          ])
          const title = `${stage.documents.word} of somebody`
          before = await edit(rows[0].post_id, { title, slug: randomUUID(), content: 'Mine.' })
          reply(pages.serverError)
        },
      },
    )
    expect(await stage.deliver(document)).toMatchObject({ status: 'held', error: { code: 'post_replaced' } })
    expect(await read(before?.id)).toEqual(before)
  })

  test('another file that has the number of a picture is not shown', async () => {
    const { siteId } = await stage.lane()
    const [one, other] = [await first(siteId), await first(siteId)]
    const [stranger] = await findMedia(`parent=${other.post?.id}`)
    await stage.pool.query('UPDATE delivery_media SET media_id = $2 WHERE delivery_id = $1', [
      one.deliveryId,
      stranger?.id,
    ])
    await stage.deliver(one.next('second'))
    expect(await contentOf(one.post?.id)).not.toContain(`wp-image-${stranger?.id}"`)
  })
})

test.each(['editor', 'author'] as const)(
  'a title with what looks like a tag keeps it, also where the answer to the fill of an %s is lost',
  async (role) => {
    const { siteId, proxy } = await stage.lane(role)
    const document = stage.documents.make(siteId)
    const title = `${stage.documents.word} Option<T> & 1 < 2`
    const body = { ...document.body, data: { ...(document.body.data as object), title, description: title } }
    proxy.rule({ method: 'POST', path: /\/posts\/\d+$/, nth: 1 }, resetAfter)
    const { status, post } = await stage.deliver({ ...document, body })
    expect(status).toBe('delivered')
    const { title: shown } = await read(post?.id)
    expect((shown as { rendered: string }).rendered).toMatch(/Option&lt;T(>|&gt;) .* 1 &lt; 2$/)
    await removePost(post?.id as number)
  },
)
