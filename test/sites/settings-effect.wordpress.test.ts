import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RenderSettings } from '../../src/render/options.ts'
import { type SiteSettings, siteSettingsSchema } from '../../src/sites/settings.ts'
import { publicLooks } from '../delivery/public-looks.ts'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'
import { type FileServer, png, serveFiles } from '../support/files.ts'
import { type DeliveryData, removeSitesOf, settled, webhookPath } from '../support/galley.ts'
import { type Fault, startFaultProxy } from '../support/proxy/index.ts'
import { completed } from '../support/webhooks.ts'
import {
  findMedia,
  misbehavingSite,
  type Role,
  removePosts,
  removeTerm,
  rest,
  wordpress,
} from '../support/wordpress/index.ts'

interface Post {
  id: number
  type: string
  author: number
  categories: number[]
  tags: number[]
  content: { raw: string }
  meta: Record<string, unknown>
}

let stage: DeliveryStage
let files: FileServer
let webhook: string
const mark = randomUUID().slice(0, 8)
let documents = 0
const made = { posts: new Set<number>(), terms: [] as number[] }

beforeAll(async () => {
  stage = await startStage()
  webhook = await webhookPath(stage.galley)
  files = await serveFiles({
    '/wide.png': { type: 'image/png', bytes: png(800, 450, [20, 90, 160]) },
  })
})
afterEach(async () => {
  await removePosts(made.posts)
  made.posts.clear()
  for (const id of made.terms.splice(0)) await removeTerm('categories', id)
})
afterAll(async () => {
  await files.close()
  await stage.close()
})

/** A category of the test's own. */
async function category(name: string): Promise<number> {
  const { id } = await rest<{ id: number }>('administrator', 'POST', '/wp/v2/categories', { name })
  made.terms.push(id)
  return id
}

async function connect(
  settings: object,
  { role = 'editor', check = false, url = wordpress().url, id } = {} as {
    role?: Role
    check?: boolean
    url?: string
    id?: string
  },
) {
  const { users } = wordpress()
  await removeSitesOf(stage.galley, users[role].login)
  const { status, body } = await stage.galley.call<{ id: string }>('POST', `/v1/sites?check=${check}`, {
    url: `${url}/readme.html`,
    username: users[role].login,
    application_password: users[role].applicationPassword,
    settings,
    ...(id !== undefined && { id }),
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  return body.id
}

type Requested = Parameters<typeof completed>[0] & { type?: string }

/** Delivers a document, and reads what stands on the site. */
async function deliver(
  siteId: string,
  requested: Requested,
): Promise<{ delivery: DeliveryData; post: Post | null }> {
  const { type = 'posts', ...document } = requested
  // Each connection is a new one: a post of the same title and author would be taken for this document's, forgotten.
  documents += 1
  const body = completed({ siteId, title: `Settings ${mark} ${documents}`, ...document })
  expect(await stage.galley.call('POST', webhook, body)).toMatchObject({ status: 202 })
  const delivery = await settled(stage.galley, body.id)
  if (delivery.post === null) return { delivery, post: null }
  const { id } = delivery.post
  made.posts.add(id)
  return { delivery, post: await rest<Post>('administrator', 'GET', `/wp/v2/${type}/${id}?context=edit`) }
}

/** What stands of a document on a site with these settings. */
async function delivered(
  settings: object,
  requested: Requested,
  role: Role = 'editor',
): Promise<Post & { delivery: DeliveryData }> {
  const { delivery, post } = await deliver(await connect(settings, { role }), requested)
  expect(delivery).toMatchObject({ status: 'delivered' })
  return { ...(post as Post), delivery }
}

const wide = () => ({
  type: 'image',
  url: `${files.url}/wide.png`,
  alt: 'A wide one',
  caption: 'Its caption',
})
const heading = { type: 'heading', level: 2, text: 'A heading', anchor: 'here' }

/** Each setting, and what a person sees of it on the site; where a default would show the same, both are looked at. */
const effects: Record<keyof Omit<SiteSettings, 'render'>, () => Promise<void>> = {
  async format() {
    const { content } = await delivered({ format: 'classic' }, { blocks: [heading] })
    expect(content.raw).toBe('<h2 id="here">A heading</h2>')
  },
  async post_type() {
    expect(await delivered({ post_type: 'pages' }, { type: 'pages' })).toMatchObject({ type: 'page' })
  },
  async author() {
    const { login } = wordpress().users.author
    const [user] = await rest<{ id: number }[]>(
      'administrator',
      'GET',
      `/wp/v2/users?search=${login}&context=edit`,
    )
    expect(await delivered({ author: login }, {})).toMatchObject({ author: user?.id })
  },
  async author_aliases() {
    const { login } = wordpress().users.author
    const aliased = { author_aliases: { Ghost: login } }
    const { author } = await delivered(aliased, { metadata: { author: 'ghost' } })
    expect(author).not.toBe((await delivered({}, {})).author)
  },
  async always_add() {
    const id = await category(`Always ${mark}`)
    const { categories } = await delivered({ always_add: { categories: [`Always ${mark}`] } }, {})
    expect(categories).toContain(id)
  },
  async language() {
    const site = await misbehavingSite('languages')
    const siteId = await connect({ language: 'en' }, { url: site.url })
    const { delivery } = await deliver(siteId, { tags: [`English ${mark}`] })
    expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
    const inLanguage = async (lang: string) => {
      const query = `lang=${lang}&search=${encodeURIComponent(`English ${mark}`)}`
      return (await (await fetch(`${site.url}/wp-json/wp/v2/tags?${query}`)).json()) as { id: number }[]
    }
    const [tag, ...others] = await inLanguage('en')
    expect({ others, french: await inLanguage('fr') }).toEqual({ others: [], french: [] })
    await removeTerm('tags', tag?.id as number)
    await site.close()
  },
  async defaults() {
    const closed = await delivered({ defaults: { comments: 'closed' } }, {})
    const open = await delivered({ defaults: { comments: 'open' } }, {})
    expect([closed, open]).toMatchObject([{ comment_status: 'closed' }, { comment_status: 'open' }])
  },
  async default_categories() {
    const id = await category(`Default ${mark}`)
    expect(await delivered({ default_categories: [`Default ${mark}`] }, {})).toMatchObject({
      categories: [id],
    })
  },
  async fallback_category() {
    const id = await category(`Fallback ${mark}`)
    const settings = { fallback_category: `Fallback ${mark}`, term_policy: 'existing_only' }
    expect(await delivered(settings, { categories: [`Missing ${mark}`] })).toMatchObject({ categories: [id] })
  },
  async category_aliases() {
    const id = await category(`Alias ${mark}`)
    const settings = { category_aliases: { AI: `Alias ${mark}` } }
    expect(await delivered(settings, { categories: ['ai'] })).toMatchObject({ categories: [id] })
  },
  async term_policy() {
    const { tags, delivery } = await delivered(
      { term_policy: 'existing_only' },
      { tags: [`missing ${mark}`] },
    )
    expect({ tags, warnings: delivery.warnings }).toMatchObject({
      tags: [],
      warnings: [{ code: 'term_missing' }],
    })
    expect(await rest('administrator', 'GET', `/wp/v2/tags?search=missing%20${mark}`)).toEqual([])
    const rejecting = await deliver(await connect({ term_policy: 'reject' }), { tags: [`missing ${mark}`] })
    expect(rejecting.delivery).toMatchObject({ status: 'held', error: { code: 'term_rejected' } })
  },
  async picture_policy() {
    const blocks = [{ type: 'image', url: `${files.url}/gone.png`, alt: '' }, 'Words']
    expect((await delivered({}, { blocks })).content.raw).toContain('gone.png')
    expect((await delivered({ picture_policy: 'drop' }, { blocks })).content.raw).not.toContain('gone.png')
    const held = await deliver(await connect({ picture_policy: 'hold' }), { blocks })
    expect(held.delivery).toMatchObject({ status: 'held', error: { code: 'picture_missing' } })
  },
  async max_picture_bytes() {
    const { delivery } = await delivered({ max_picture_bytes: 1024 }, { blocks: [wide()] })
    expect(delivery.warnings).toMatchObject([
      { code: 'file_kept_remote', message: expect.stringContaining('is larger than'), severity: 'change' },
    ])
  },
  async max_picture_pixels() {
    const widths = async (settings: object) => {
      const { delivery } = await delivered(settings, { blocks: [wide()] })
      const [file] = await findMedia(`parent=${delivery.post?.id}`)
      return (file?.media_details as { width: number } | undefined)?.width
    }
    expect(await widths({ max_picture_pixels: 400 })).toBe(400)
    expect(await widths({ max_picture_pixels: null })).toBeGreaterThan(400)
  },
  async on_changed_post() {
    // The others: test/delivery/redelivery.wordpress.test.ts.
    const siteId = await connect({ on_changed_post: 'overwrite' })
    const id = randomUUID()
    const first = await deliver(siteId, { id, blocks: ['Older'] })
    await rest('administrator', 'POST', `/wp/v2/posts/${first.post?.id}`, { content: 'By a person' })
    const { delivery, post } = await deliver(siteId, { id, blocks: ['Newer'] })
    expect([delivery.status, post?.content.raw]).toEqual(['delivered', expect.stringContaining('Newer')])
  },
  async on_loss() {
    // More: test/delivery/losses.wordpress.test.ts.
    const blocks = [{ type: 'image', alt: 'No address' }, 'Words']
    const requested = { post_status: 'publish' as const, blocks }
    expect(await delivered({}, requested)).toMatchObject({ status: 'publish' })
    expect(await delivered({ on_loss: 'draft' }, requested)).toMatchObject({ status: 'draft' })
    const { delivery } = await deliver(await connect({ on_loss: 'hold' }), requested)
    expect(delivery).toMatchObject({ status: 'held', error: { code: 'content_lost' } })
  },
  async on_publish_refused() {
    const requested = { post_status: 'publish' } as const
    expect((await delivered({}, requested, 'contributor')).delivery.post).toMatchObject({ status: 'pending' })
    const { delivery } = await deliver(
      await connect({ on_publish_refused: 'hold' }, { role: 'contributor' }),
      requested,
    )
    expect(delivery).toMatchObject({ status: 'held', error: { code: 'cannot_publish' } })
  },
  async public_check() {
    // More: test/delivery/public-check.wordpress.test.ts.
    for (const [settings, looks] of [
      [{}, 1],
      [{ public_check: false }, 0],
    ] as const) {
      const { delivery } = await delivered(settings, { post_status: 'publish' })
      const after = await publicLooks(stage, delivery.id)
      expect(after).toBe(looks)
    }
  },
  async concurrency() {
    const proxy = await startFaultProxy(wordpress().url, { rewriteUrls: true })
    const siteId = await connect({ concurrency: 1, batch: 'off' }, { url: proxy.url })
    let underWay = 0
    let most = 0
    const counted: Fault = {
      name: 'counted',
      async apply({ forward, reply }) {
        underWay += 1
        most = Math.max(most, underWay)
        const answer = await forward()
        underWay -= 1
        reply(answer)
      },
    }
    proxy.rule({}, counted)
    const done = await Promise.all(Array.from({ length: 3 }, () => deliver(siteId, { blocks: [heading] })))
    expect(done.map(({ delivery: { status } }) => status)).toEqual(Array(3).fill('delivered'))
    expect(most).toBe(1)
    await proxy.close()
  },
  async batch() {
    for (const [batch, together] of [
      ['auto', true],
      ['off', false],
    ] as const) {
      const proxy = await startFaultProxy(wordpress().url, { rewriteUrls: true })
      const id = randomUUID()
      const sent = Array.from({ length: 2 }, (_, n) =>
        completed({ siteId: id, title: `Settings ${mark} ${batch} ${n}` }),
      )
      for (const body of sent)
        expect(await stage.galley.call('POST', webhook, body)).toMatchObject({ status: 202 })
      // All of them wait for the site, and so are due in the same moment.
      await connect({ batch, concurrency: 1 }, { url: proxy.url, id })
      const done = await Promise.all(sent.map(({ id }) => settled(stage.galley, id as string)))
      for (const { post } of done) if (post) made.posts.add(post.id)
      expect(done.map(({ status }) => status)).toEqual(Array(2).fill('delivered'))
      expect(proxy.requests.some(({ path }) => path === '/batch/v1')).toBe(together)
      await proxy.close()
    }
  },
  async seo_description() {
    const description = 'What search engines are told.'
    for (const [seo_description, told] of [
      [true, description],
      [false, ''],
    ] as const) {
      const proxy = await misbehavingSite('seo')
      const siteId = await connect({ seo_description }, { url: proxy.url })
      await stage.pool.query('UPDATE site SET seo_field = $2 WHERE id = $1', [
        siteId,
        '_yoast_wpseo_metadesc',
      ])
      const { delivery, post } = await deliver(siteId, { description })
      expect(delivery.status).toBe('delivered')
      const read = await fetch(`${proxy.url}/wp-json/wp/v2/posts/${post?.id}?context=edit`, {
        headers: { authorization: authorization('administrator') },
      })
      expect(((await read.json()) as Post).meta._yoast_wpseo_metadesc).toBe(told)
      await proxy.close()
    }
  },
}

const authorization = (role: Role): string => {
  const { login, applicationPassword } = wordpress().users[role]
  return `Basic ${Buffer.from(`${login}:${applicationPassword}`).toString('base64')}`
}

const markupWith = async (render: Partial<RenderSettings>, requested: Requested): Promise<string> =>
  (await delivered({ render }, requested)).content.raw

/** What depends on uploaded files; test/render/settings.test.ts has the others. */
const renderEffects = {
  async image_size() {
    expect(await markupWith({ image_size: 'medium' }, { blocks: [wide()] })).toMatch(
      /src="[^"]+-300x\d+\.png"/,
    )
  },
  async image_link() {
    expect(await markupWith({ image_link: 'media' }, { blocks: [wide()] })).toMatch(
      /<a href="[^"]+\/uploads\/[^"]+\.png">/,
    )
    const markup = await markupWith({ image_link: 'attachment' }, { blocks: [wide()] })
    const [, href = ''] =
      /"linkDestination":"attachment"[^<]*<figure[^<]*<a href="([^"]+)">/.exec(markup) ?? []
    expect(href).toContain(wordpress().url)
    expect(href).not.toContain('.png')
    expect(markup).toContain('</a>')
  },
}

describe('the effect of a setting on the site', () => {
  it.each(Object.entries(effects))('of %s', (_name, look) => look())
  it.each(Object.entries(renderEffects))('of render.%s', (_name, look) => look())

  it('is looked at for every setting that there is', () => {
    expect(Object.keys(effects).sort()).toEqual(
      Object.keys(siteSettingsSchema.shape)
        .filter((name) => name !== 'render')
        .sort(),
    )
  })
})

describe('the version of WordPress that the doctor saw', () => {
  it('decides how a heading with an anchor is saved', async () => {
    const siteId = await connect({}, { check: true })
    const read = await stage.pool.query(
      "SELECT report->'abilities'->>'wordpressVersion' AS version FROM site WHERE id = $1",
      [siteId],
    )
    const { version } = read.rows[0]
    expect(version).toMatch(/^\d+\.\d+/)
    const own = await deliver(siteId, { blocks: [heading] })
    const before = Number.parseFloat(version) < 7.1
    expect(own.post?.content.raw.includes('"anchor":"here"')).toBe(!before)

    const set = `UPDATE site SET report = jsonb_set(report, '{abilities,wordpressVersion}', '"6.8.7"') WHERE id = $1`
    await stage.pool.query(set, [siteId])
    const { post } = await deliver(siteId, { blocks: [heading] })
    expect(post?.content.raw).toContain('<!-- wp:heading -->\n<h2 class="wp-block-heading" id="here">')
  })
})
