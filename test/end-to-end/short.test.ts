import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quickTiming } from '../faults/stage/timing.ts'
import { type FileServer, png, serveFiles } from '../support/files.ts'
import {
  type DeliveryData,
  settled,
  startTestGalley,
  type TestGalley,
  webhookPath,
} from '../support/galley.ts'
import { type FaultProxy, resetAfter, startFaultProxy } from '../support/proxy/index.ts'
import { completed } from '../support/webhooks.ts'
import {
  findMedia,
  findPosts,
  type RestItem,
  removeAll,
  rest,
  wordpress,
} from '../support/wordpress/index.ts'

// The main promise on a real WordPress, in short: a webhook becomes one post, a newer version changes that post, a
// person's edit is kept, and a lost answer leaves one post. The tests are one story and run in this order.

/** In every title, so that what the tests make is found and removed on a site that others use too. */
const word = `tide${randomUUID().slice(0, 8)}`

let galley: TestGalley
let files: FileServer
/** In front of WordPress. It loses the answers that a test names. */
let proxy: FaultProxy
let siteId: string
let webhook: string

beforeAll(async () => {
  const { url, users } = wordpress()
  files = await serveFiles({ '/harbour.png': { type: 'image/png', bytes: png(64, 48, [20, 60, 120]) } })
  proxy = await startFaultProxy(url, { rewriteUrls: true })
  galley = await startTestGalley({}, undefined, quickTiming)
  webhook = await webhookPath(galley)
  const { status, body } = await galley.call<{ id: string }>('POST', '/v1/sites?check=false', {
    url: proxy.url,
    username: users.editor.login,
    application_password: users.editor.applicationPassword,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  siteId = body.id
})

afterAll(async () => {
  await removeAll(word)
  await galley?.stop()
  await proxy?.close()
  await files?.close()
})

/** Sends a version of a document as its webhook, and waits for its delivery to come to rest. */
async function deliver(name: string, text: string, id: string = randomUUID()): Promise<DeliveryData> {
  const title = `${word} ${name}`
  const event = completed({
    id,
    siteId,
    title,
    slug: `${word}-${name}`,
    description: `About ${title}.`,
    post_status: 'publish',
    categories: ['Uncategorized'],
    blocks: [
      { type: 'heading', level: 2, text: 'Tides' },
      { type: 'paragraph', content: [{ type: 'text', text }] },
      {
        type: 'image',
        url: `${files.url}/harbour.png`,
        alt: `${title} from above`,
        image_type: 'photograph',
      },
    ],
  })
  const { status } = await galley.call('POST', webhook, event)
  expect(status).toBe(202)
  return settled(galley, id)
}

/** A post as WordPress itself has it, past the proxy. */
async function read(id: number | undefined) {
  const post = await rest<RestItem>('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)
  return { ...post, raw: (post.content as { raw: string }).raw }
}

const harbour = randomUUID()
let postId: number | undefined

test('a webhook becomes one published post of blocks, with its picture', async () => {
  const delivery = await deliver('harbour', 'The first version, with 1 < 2.', harbour)
  expect(delivery).toMatchObject({
    status: 'delivered',
    error: null,
    warnings: [],
    post: { status: 'publish' },
  })
  postId = delivery.post?.id
  expect(await findPosts(`search=${word}`)).toHaveLength(1)
  const post = await read(postId)
  expect(post).toMatchObject({
    status: 'publish',
    slug: `${word}-harbour`,
    title: { raw: `${word} harbour` },
  })
  expect(post.raw).toContain('<!-- wp:heading -->')
  expect(post.raw).toContain('<p>The first version, with 1 &lt; 2.</p>')
  expect(await findMedia(`parent=${postId}`)).toMatchObject([{ alt_text: `${word} harbour from above` }])
  const page = await fetch(`${wordpress().url}/${word}-harbour/`)
  expect(await page.text()).toContain('The first version')
})

test('a newer version changes the same post and uploads no picture again', async () => {
  const delivery = await deliver('harbour', 'The second version.', harbour)
  expect(delivery).toMatchObject({ status: 'delivered', post: { id: postId } })
  expect((await read(postId)).raw).toContain('The second version.')
  expect(await findPosts(`search=${word}`)).toHaveLength(1)
  expect(await findMedia(`parent=${postId}`)).toHaveLength(1)
})

test('a person’s edit is kept: the next version is held', async () => {
  await rest('administrator', 'POST', `/wp/v2/posts/${postId}`, { content: 'Mine.' })
  const delivery = await deliver('harbour', 'The third version.', harbour)
  expect(delivery).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
  expect((await read(postId)).raw).toBe('Mine.')
})

// "reserve" creates an empty draft under the document's marker, "fill" writes the content into it
test.each([
  ['reserve', 'lighthouse', /^\/wp\/v2\/posts$/],
  ['fill', 'breakwater', /^\/wp\/v2\/posts\/\d+$/],
])('a lost answer to the %s leaves one complete post', async (_, name, path) => {
  proxy.rule({ method: 'POST', path, nth: 1 }, resetAfter)
  const delivery = await deliver(name, 'Once and only once.')
  expect(delivery).toMatchObject({ status: 'delivered', error: null, post: { status: 'publish' } })
  expect(proxy.requests.filter(({ fault }) => fault === resetAfter.name)).not.toEqual([])
  expect(await findPosts(`search=${word}+${name}`)).toMatchObject([{ id: delivery.post?.id }])
  expect((await read(delivery.post?.id)).raw).toContain('Once and only once.')
  expect(await findMedia(`parent=${delivery.post?.id}`)).toHaveLength(1)
  proxy.clear()
  proxy.requests.length = 0
})
