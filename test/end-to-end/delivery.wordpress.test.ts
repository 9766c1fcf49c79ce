import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { loadEditor } from '../support/editor.ts'
import { type FileServer, png, serveFiles } from '../support/files.ts'
import {
  type DeliveryData,
  removeSitesOf,
  settled,
  startTestGalley,
  type TestGalley,
  webhookPath,
} from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import {
  findMedia,
  type RestItem,
  type Role,
  removePosts,
  removeTerm,
  rest,
  wordpress,
} from '../support/wordpress/index.ts'

let galley: TestGalley
let files: FileServer
let webhook: string
const made = new Set<number>()

beforeAll(async () => {
  galley = await startTestGalley()
  webhook = await webhookPath(galley)
  files = await serveFiles({
    '/harbour.png': { type: 'image/png', bytes: png(800, 450, [20, 60, 120]) },
    '/map.png': { type: 'image/png', bytes: png(640, 480, [200, 180, 120]) },
  })
})

afterEach(async () => {
  await removePosts(made)
  made.clear()
})

afterAll(async () => {
  await galley.stop()
  await files.close()
})

async function connect(role: Role, settings: object = {}): Promise<string> {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  await removeSitesOf(galley, login)
  const { status, body } = await galley.call<{ id: string }>('POST', '/v1/sites?check=false', {
    url,
    username: login,
    application_password: applicationPassword,
    settings,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

async function deliver(webhookBody: { id: string }): Promise<DeliveryData> {
  const answer = await galley.call('POST', webhook, webhookBody)
  expect(answer.status).toBe(202)
  const delivery = await settled(galley, webhookBody.id)
  if (delivery.post) made.add(delivery.post.id)
  return delivery
}

const read = (id: number): Promise<RestItem> =>
  rest('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)

const everything = () => [
  { type: 'heading', level: 2, text: 'Tides' },
  {
    type: 'paragraph',
    content: [
      { type: 'text', text: 'The ' },
      { type: 'bold', text: 'harbour' },
      { type: 'text', text: ' at ' },
      { type: 'italic', text: 'dawn' },
      { type: 'text', text: ', with ' },
      { type: 'code', text: 'ebb()' },
      { type: 'text', text: ' and a ' },
      { type: 'link', text: 'chart', url: 'https://example.com/?a=1&b=2' },
    ],
  },
  { type: 'list', ordered: false, items: ['One', { text: 'Two', items: ['Two and a half'] }] },
  { type: 'list', ordered: true, items: ['First', 'Second'] },
  {
    type: 'table',
    headers: ['Port', 'Depth'],
    rows: [
      ['North', '12 m'],
      ['South', '8 m'],
    ],
  },
  { type: 'code_block', language: 'ts', value: 'const x = [1]\nif (x[0] < 2 && x) {}' },
  { type: 'image', url: `${files.url}/harbour.png`, alt: 'The harbour from above', image_type: 'photograph' },
  { type: 'image', url: `${files.url}/map.png`, alt: 'A "map" of <tides>', image_type: 'infographic' },
  { type: 'quote', value: 'Time and tide wait for no man.' },
]

test('a document with everything in it becomes one draft the block editor takes as its own', async () => {
  const siteId = await connect('editor')
  const tag = `tide-${randomUUID().slice(0, 8)}`
  const document = completed({
    siteId,
    title: 'Harbours & tides',
    slug: `harbours-${tag}`,
    description: 'What the sea does twice a day.',
    featured_image: `${files.url}/harbour.png`,
    blocks: everything(),
    categories: ['Uncategorized'],
    tags: [tag],
  })
  const delivery = await deliver(document)

  expect(delivery).toMatchObject({
    status: 'delivered',
    error: null,
    warnings: [],
    post: { status: 'draft' },
  })
  const post = await read(delivery.post?.id as number)
  expect(post).toMatchObject({ status: 'draft', slug: `harbours-${tag}` })
  expect((post.excerpt as { raw: string }).raw).toBe('What the sea does twice a day.')
  const verdict = loadEditor(wordpress().root).judge((post.content as { raw: string }).raw)
  expect(verdict).toMatchObject({ valid: true, invalid: [], migrated: [] })

  // WordPress would take `<tides>` for a tag, and remove it.
  const pictures = await findMedia(`parent=${post.id}&orderby=id&order=asc`)
  expect(pictures.map(({ alt_text, title }) => [alt_text, (title as { raw: string }).raw])).toEqual([
    ['The harbour from above', 'The harbour from above'],
    ['A "map" of &lt;tides>', 'A "map" of &lt;tides>'],
  ])
  expect(pictures.map(({ id }) => id)).toContain(post.featured_media)
  const [termId] = post.tags as number[]
  const term = await rest<{ name: string }>('administrator', 'GET', `/wp/v2/tags/${termId}`)
  expect(term.name).toBe(tag)
  await removeTerm('tags', termId as number)
  expect(delivery.timeline.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    'plan queued',
    'reserve intended',
    'reserve created',
    'terms resolved',
    'media uploaded',
    'media uploaded',
    'fill intended',
    'verify done',
    'deliver delivered',
  ])
})

// A post that is published: short.test.ts. One of a contributor: test/sites/settings-effect.wordpress.test.ts.
test('an author’s document is pending where that was asked for, and without block comments on a classic site', async () => {
  const siteId = await connect('author', { format: 'classic' })
  const delivery = await deliver(completed({ siteId, post_status: 'pending', blocks: everything() }))
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [], post: { status: 'pending' } })
  const post = await read(delivery.post?.id as number)
  expect(post.status).toBe('pending')
  const { raw } = post.content as { raw: string }
  expect(raw).not.toContain('<!-- wp:')
  expect(raw).toContain('<table>')
  expect(await findMedia(`parent=${post.id}`)).toHaveLength(2)
})
