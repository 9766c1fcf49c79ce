import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { heic } from '../media/heic.ts'
import { type FileServer, png, serveFiles } from '../support/files.ts'
import { removeSitesOf, settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import {
  findMedia,
  findPosts,
  type Role,
  removeAll,
  removePosts,
  rest,
  wordpress,
} from '../support/wordpress/index.ts'

const { url, users } = wordpress()

interface PreviewData {
  outcome: string
  error: { code: string } | null
  post: {
    title: string
    slug: string
    excerpt: string
    content: string
    status: { asked: string; result: string }
  }
  fields: { name: string; value: unknown; outcome: string }[]
  uploads: {
    url: string
    file_name: string
    alt: string
    featured: boolean
    placeholder: { id: number; url: string; sized_url: string }
  }[]
  terms: { taxonomy: 'categories' | 'tags'; name: string; outcome: string; id: number | null }[]
  warnings: { code: string; message: string }[]
}

let galley: TestGalley
let files: FileServer
let webhook: string
beforeAll(async () => {
  galley = await startTestGalley()
  webhook = await webhookPath(galley)
  files = await serveFiles({
    '/wide.png': { type: 'image/png', bytes: png(1100, 620, [20, 90, 160]) },
    '/small.png': { type: 'image/png', bytes: png(320, 200, [160, 90, 20]) },
    '/photo.heic': { type: 'image/heic', bytes: heic },
  })
})
afterAll(async () => {
  await files.close()
  await galley.stop()
})

async function connect(role: Role, settings: object = {}): Promise<string> {
  const { login: username, applicationPassword: application_password } = users[role]
  await removeSitesOf(galley, username)
  const requested = { url, username, application_password, settings }
  return (await galley.call<{ id: string }>('POST', '/v1/sites?check=false', requested)).body.id
}

async function previewOf(siteId: string, document: object): Promise<PreviewData> {
  const { status, body } = await galley.call<{ data: PreviewData }>(
    'POST',
    `/v1/sites/${siteId}/preview`,
    document,
  )
  expect(body).toMatchObject({ success: true })
  expect(status).toBe(200)
  return body.data
}

/** A document with pictures of two sizes and one that is gone, and terms that are there, missing and nested. */
function document(siteId: string, mark: string) {
  return completed({
    siteId,
    title: `Preview ${mark}`,
    slug: `preview-${mark}`,
    featured_image: `${files.url}/wide.png`,
    post_status: 'publish',
    categories: ['Uncategorized', `Preview ${mark} > Below ${mark}`],
    tags: [`tag ${mark}`],
    blocks: [
      { type: 'heading', level: 2, text: 'A heading & more' },
      { type: 'image', url: `${files.url}/wide.png`, alt: 'A wide one' },
      { type: 'image', url: `${files.url}/small.png`, alt: 'A small one' },
      { type: 'image', url: `${files.url}/gone.png`, alt: 'Gone' },
      { type: 'image', url: `${files.url}/photo.heic`, alt: 'From a phone' },
    ],
  })
}

/** Everything on the site that a delivery could add to. */
async function everything(): Promise<object> {
  const terms = (taxonomy: string) =>
    rest<{ id: number }[]>('administrator', 'GET', `/wp/v2/${taxonomy}?per_page=100&orderby=id&order=desc`)
  const ids = (items: { id: number }[]) => items.map(({ id }) => id).sort((a, b) => a - b)
  return {
    posts: ids(await findPosts('')),
    media: ids(await findMedia('')),
    categories: ids(await terms('categories')),
    tags: ids(await terms('tags')),
  }
}

interface Post {
  content: { raw: string }
  status: string
  slug: string
  featured_media: number
  categories: number[]
  tags: number[]
}

describe.each(['editor', 'author', 'contributor'] as const)('a preview for an %s', (role) => {
  it('writes nothing, and the delivery then does what it said', async () => {
    const siteId = await connect(role)
    const mark = randomUUID().slice(0, 8)
    const requested = document(siteId, mark)
    const before = await everything()
    const planned = await previewOf(siteId, requested)
    expect(await everything()).toEqual(before)
    expect(planned).toMatchObject({ outcome: 'delivered', error: null })

    await fetch(`${galley.url}${webhook}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requested),
    })
    const delivery = await settled(galley, requested.id)
    expect(delivery.status).toBe('delivered')
    const id = delivery.post?.id as number
    const post = await rest<Post>('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)
    const media = await Promise.all((await findMedia(`parent=${id}`)).map(({ id }) => attachment(id)))

    expect(post.status).toBe(planned.post.status.result)
    expect(media.map(({ file }) => file).sort()).toEqual(
      planned.uploads.map(({ file_name }) => file_name).sort(),
    )
    expect(media.every(({ file }) => /\.(png|jpg)$/.test(file))).toBe(true)
    const featured = planned.uploads.find(({ featured }) => featured)?.file_name
    expect(media.find(({ id }) => id === post.featured_media)?.file).toBe(featured)
    // WordPress itself rewrites what users without unfiltered_html send (kses); an editor's bytes stay.
    if (role === 'editor') expect(post.content.raw).toBe(substituted(planned, media))

    for (const taxonomy of ['categories', 'tags'] as const) {
      const terms = planned.terms.filter((term) => term.taxonomy === taxonomy && term.outcome !== 'left_out')
      expect(post[taxonomy]).toHaveLength(terms.length || (taxonomy === 'categories' ? 1 : 0))
      for (const term of terms.filter(({ outcome }) => outcome === 'exists'))
        expect(post[taxonomy]).toContain(term.id)
    }
    const codes = (list: { code: string }[]) => list.map(({ code }) => code).sort()
    const told = delivery.warnings.filter(({ code }) => code !== 'slug_dropped')
    expect(codes(planned.warnings)).toEqual(codes(told))

    await removePosts([id])
    await removeAll(mark)
  })
})

interface Attachment {
  id: number
  file: string
  source: string
  sizes: Record<string, { source_url: string }>
}

async function attachment(id: number): Promise<Attachment> {
  const record = await rest<{ source_url: string; media_details: { sizes?: Attachment['sizes'] } }>(
    'administrator',
    'GET',
    `/wp/v2/media/${id}`,
  )
  const file = record.source_url.replace(/.*\//, '').replace(/-\d{1,2}(?=\.\w+$)/, '')
  return { id, file, source: record.source_url, sizes: record.media_details.sizes ?? {} }
}

/** The previewed markup with what the uploads gave in place of the placeholders. */
function substituted({ post, uploads }: PreviewData, media: Attachment[]): string {
  return uploads.reduce((markup, { file_name, placeholder }) => {
    const { id, source, sizes } = media.find(({ file }) => file === file_name) as Attachment
    return markup
      .replaceAll(placeholder.sized_url, sizes.large?.source_url ?? source)
      .replaceAll(placeholder.url, source)
      .replaceAll(String(placeholder.id), String(id))
  }, post.content)
}

describe('a preview of a delivery that would be held', () => {
  it('says why, and shows the rest', async () => {
    const siteId = await connect('author', { term_policy: 'reject' })
    const { outcome, error, post } = await previewOf(siteId, {
      data: completed().data,
      delivery: { metadata: { tags: [`nobody has ${randomUUID()}`] } },
    })
    expect({ outcome, error }).toMatchObject({ outcome: 'held', error: { code: 'term_rejected' } })
    expect(post.content).toContain('Three plain words.')
  })

  it('shows the status that would result for a user who may not publish, or that it would be held', async () => {
    const requested = { data: completed().data, delivery: { post_status: 'publish' } }
    expect((await previewOf(await connect('contributor'), requested)).post.status.result).toBe('pending')
    const strict = await connect('contributor', { on_publish_refused: 'hold' })
    expect(await previewOf(strict, requested)).toMatchObject({
      outcome: 'held',
      error: { code: 'cannot_publish' },
    })
  })
})

it('a preview tells which fields of the post are set, with what, and what the site does not know of them', async () => {
  const siteId = await connect('editor', { defaults: { template: '', comments: 'closed' } })
  const { fields, warnings } = await previewOf(siteId, {
    data: completed().data,
    delivery: {
      metadata: {
        ...{
          post_type: 'page',
          menu_order: 3,
          sticky: true,
          author: 'nobody-of-this-name',
          comments: 'open',
        },
        ...{ taxonomies: { genre: ['Essay'] }, fields: { subtitle: 'Sea' }, seo: { title: 'Tides' } },
        reference: 'order-4711',
      },
    },
  })
  const named = (outcome: string) =>
    Object.fromEntries(
      fields.filter((one) => one.outcome === outcome).map(({ name, value }) => [name, value]),
    )
  expect(named('set')).toEqual({ post_type: 'page', menu_order: 3, comments: 'open', template: '' })
  expect(named('left_out')).toEqual({
    ...{ sticky: true, author: 'nobody-of-this-name', 'taxonomies.genre': ['Essay'] },
    ...{ 'fields.subtitle': 'Sea', 'seo.title': 'Tides' },
  })
  expect(warnings.map(({ code }) => code).sort()).toEqual([
    ...['author_unknown', 'custom_field_unknown', 'seo_unavailable', 'sticky_dropped', 'taxonomy_unknown'],
  ])
})

it('422-not-a-document', async () => {
  const siteId = await connect('author')
  const answer = await galley.call('POST', `/v1/sites/${siteId}/preview`, { data: { title: 'No content' } })
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'INVALID_REQUEST' } } })
})

/** 42 KB that would be 49 million cells. */
const table = { type: 'table', headers: Array(7_000).fill(''), rows: Array(7_000).fill({}) }

it('a preview of what would be too much answers 422 with the limit', async () => {
  const siteId = await connect('author')
  const { status, body } = await galley.call<{ error: { code: string; details: unknown } }>(
    'POST',
    `/v1/sites/${siteId}/preview`,
    completed({ siteId, blocks: [table] }),
  )
  expect({ status, error: body.error }).toMatchObject({
    status: 422,
    error: { code: 'DOCUMENT_TOO_MANY_CELLS', details: [{ path: 'data.content.content.0.rows' }] },
  })
})
