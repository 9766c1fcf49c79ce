import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RenderSettings } from '../../src/render/options.ts'
import { type SiteSettings, siteSettingsSchema } from '../../src/sites/settings.ts'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'
import { type FileServer, png, serveFiles } from '../support/files.ts'
import { type DeliveryData, removeSitesOf, settled, webhookPath } from '../support/galley.ts'
import { type FaultProxy, startFaultProxy } from '../support/proxy/index.ts'
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
  comment_status: string
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

type Requested = Parameters<typeof completed>[0]

/** Delivers a document, and reads what stands on the site. */
async function deliver(
  siteId: string,
  requested: Requested,
): Promise<{ delivery: DeliveryData; post: Post | null }> {
  // Each connection is a new one: a post of the same title and author would be taken for this document's, forgotten.
  documents += 1
  const body = completed({ siteId, title: `Settings ${mark} ${documents}`, ...requested })
  expect(await stage.galley.call('POST', webhook, body)).toMatchObject({ status: 202 })
  const delivery = await settled(stage.galley, body.id)
  if (delivery.post === null) return { delivery, post: null }
  const { id } = delivery.post
  made.posts.add(id)
  return { delivery, post: await rest<Post>('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`) }
}

const wide = () => ({
  type: 'image',
  url: `${files.url}/wide.png`,
  alt: 'A wide one',
  caption: 'Its caption',
})
const gone = () => ({ type: 'image', url: `${files.url}/gone.png`, alt: '' })
const heading = { type: 'heading', level: 2, text: 'A heading', anchor: 'here' }

type Delivered = Post & { delivery: DeliveryData; widthOfFile: number | undefined }

/** What stands of a document on a site with these settings. */
async function delivered(settings: object, requested: Requested, role: Role = 'editor'): Promise<Delivered> {
  const { delivery, post } = await deliver(await connect(settings, { role }), requested)
  expect(delivery).toMatchObject({ status: 'delivered' })
  const [file] = await findMedia(`parent=${post?.id}`)
  const widthOfFile = (file?.media_details as { width: number } | undefined)?.width
  return { ...(post as Post), delivery, widthOfFile }
}

const { author: writer, editor } = wordpress().users
const userId = async ({ login }: { login: string }) =>
  (await rest<{ id: number }[]>('administrator', 'GET', `/wp/v2/users?search=${login}&context=edit`))[0]?.id

type Name = keyof Omit<SiteSettings, 'render'> | `render.${keyof RenderSettings}`
/** What a person sees of each setting: what there is, and what there should be. */
type Seen = Partial<Record<Name, [actual: unknown, expected: unknown]>>

/** Several settings whose effects one document shows. Where a default would show the same, another group has the other value. */
const groups: Record<string, () => Promise<Seen>> = {
  async 'names that the site has others for, and a small picture'() {
    const [always, alias] = [await category(`Always ${mark}`), await category(`Alias ${mark}`)]
    const settings = {
      author_aliases: { Ghost: writer.login },
      always_add: { categories: [`Always ${mark}`] },
      category_aliases: { AI: `Alias ${mark}` },
      defaults: { comments: 'closed' },
      max_picture_pixels: 400,
      render: { image_size: 'medium', image_link: 'attachment' },
    }
    const requested = { metadata: { author: 'ghost' }, categories: ['ai'], blocks: [wide()] }
    const { author, categories, comment_status, widthOfFile, content } = await delivered(settings, requested)
    const page = /"linkDestination":"attachment"[^<]*<figure[^<]*<a href="([^"]+)">.*<\/a>/.exec(
      content.raw,
    )?.[1]
    return {
      author_aliases: [author, await userId(writer)],
      always_add: [categories, expect.arrayContaining([always])],
      category_aliases: [categories, expect.arrayContaining([alias])],
      defaults: [comment_status, 'closed'],
      max_picture_pixels: [widthOfFile, 400],
      'render.image_size': [content.raw, expect.stringMatching(/src="[^"]+-300x\d+\.png"/)],
      'render.image_link': [page, expect.not.stringContaining('.png')],
    }
  },
  async 'classic markup, and nothing that is not there yet'() {
    const id = await category(`Default ${mark}`)
    const settings = {
      format: 'classic',
      author: writer.login,
      default_categories: [`Default ${mark}`],
      term_policy: 'existing_only',
      picture_policy: 'drop',
      max_picture_pixels: null,
      render: { image_link: 'media' },
    }
    const requested = { tags: [`missing ${mark}`], blocks: [heading, wide(), gone()] }
    const { author, categories, tags, content, delivery, widthOfFile } = await delivered(settings, requested)
    expect(delivery.warnings.map(({ code }) => code)).toContain('term_missing')
    expect(await rest('administrator', 'GET', `/wp/v2/tags?search=missing%20${mark}`)).toEqual([])
    return {
      format: [content.raw, expect.stringMatching(/^<h2 id="here">A heading<\/h2>/)],
      author: [author, await userId(writer)],
      default_categories: [categories, [id]],
      term_policy: [tags, []],
      picture_policy: [content.raw, expect.not.stringContaining('gone.png')],
      max_picture_pixels: [widthOfFile, 800],
      'render.image_link': [content.raw, expect.stringMatching(/<a href="[^"]+\/uploads\/[^"]+\.png">/)],
    }
  },
  async 'a category for missing ones, and pictures that stay elsewhere'() {
    const id = await category(`Fallback ${mark}`)
    const settings = {
      fallback_category: `Fallback ${mark}`,
      term_policy: 'existing_only',
      defaults: { comments: 'open' },
      max_picture_bytes: 1024,
    }
    const requested = { categories: [`Missing ${mark}`], blocks: [wide(), gone()] }
    const { author, categories, comment_status, content, delivery } = await delivered(settings, requested)
    const tooLarge = { code: 'file_kept_remote', message: expect.stringContaining('is larger than') }
    return {
      author: [author, await userId(editor)],
      fallback_category: [categories, [id]],
      defaults: [comment_status, 'open'],
      max_picture_bytes: [
        delivery.warnings,
        expect.arrayContaining([expect.objectContaining({ ...tooLarge, severity: 'change' })]),
      ],
      picture_policy: [content.raw, expect.stringContaining('gone.png')],
    }
  },
}

/** Settings that hold a document, and why. */
const holds: [Name, object, () => Requested, Role, code: string][] = [
  [
    'term_policy',
    { term_policy: 'reject' },
    () => ({ tags: [`missing ${mark}`] }),
    'editor',
    'term_rejected',
  ],
  ['picture_policy', { picture_policy: 'hold' }, () => ({ blocks: [gone()] }), 'editor', 'picture_missing'],
  [
    'on_publish_refused',
    { on_publish_refused: 'hold' },
    () => ({ post_status: 'publish' }),
    'contributor',
    'cannot_publish',
  ],
]

/** By their names, with spaces between them. */
const effects: Record<string, () => Promise<void>> = {
  async on_publish_refused() {
    const { delivery } = await delivered({}, { post_status: 'publish' }, 'contributor')
    expect(delivery.post).toMatchObject({ status: 'pending' })
    expect(delivery.warnings.map(({ code }) => code)).toContain('status_lowered')
  },
  async 'batch concurrency'() {
    for (const batch of ['auto', 'off'] as const) {
      const proxy = await startFaultProxy(wordpress().url, { rewriteUrls: true })
      const atOnce = countAtOnce(proxy)
      const id = randomUUID()
      const sent = Array.from({ length: 2 }, (_, n) =>
        completed({ siteId: id, title: `Settings ${mark} ${batch} ${n}` }),
      )
      for (const body of sent) {
        expect(await stage.galley.call('POST', webhook, body)).toMatchObject({ status: 202 })
        const { status, error } = await settled(stage.galley, body.id as string)
        expect([status, error?.code]).toEqual(['held', 'site_unknown'])
      }
      // All of them wait for the site, and so are due in the same moment.
      await connect({ batch, concurrency: 1 }, { url: proxy.url, id })
      const done = await Promise.all(sent.map(({ id }) => settled(stage.galley, id as string)))
      for (const { post } of done) if (post) made.posts.add(post.id)
      expect(done.map(({ status }) => status)).toEqual(Array(2).fill('delivered'))
      expect(proxy.requests.some(({ path }) => path === '/batch/v1')).toBe(batch === 'auto')
      expect(atOnce.most).toBe(1)
      await proxy.close()
    }
  },
  async seo_description() {
    const description = 'What search engines are told.'
    const proxy = await misbehavingSite('seo')
    const siteId = await connect({}, { url: proxy.url })
    const set = `UPDATE site SET seo_field = '_yoast_wpseo_metadesc' WHERE id = $1`
    await stage.pool.query(set, [siteId])
    for (const [seo_description, told] of [
      [true, description],
      [false, ''],
    ] as const) {
      await stage.galley.call('PATCH', `/v1/sites/${siteId}`, { settings: { seo_description } })
      const { delivery, post } = await deliver(siteId, { description })
      expect(delivery.status).toBe('delivered')
      const read = await fetch(`${proxy.url}/wp-json/wp/v2/posts/${post?.id}?context=edit`, {
        headers: { authorization: authorization('administrator') },
      })
      expect(((await read.json()) as Post).meta._yoast_wpseo_metadesc).toBe(told)
    }
    await proxy.close()
  },
}

/** The most requests that are under way at once from now on. */
function countAtOnce(proxy: FaultProxy): { most: number } {
  const count = { most: 0, underWay: 0 }
  proxy.rule(
    {},
    {
      name: 'counted',
      async apply({ forward, reply }) {
        count.underWay += 1
        count.most = Math.max(count.most, count.underWay)
        const answer = await forward()
        count.underWay -= 1
        reply(answer)
      },
    },
  )
  return count
}

const authorization = (role: Role): string => {
  const { login, applicationPassword } = wordpress().users[role]
  return `Basic ${Buffer.from(`${login}:${applicationPassword}`).toString('base64')}`
}

/** The files that hold the others, on a site or without one. */
const elsewhere: Partial<Record<Name, string>> = {
  language: 'test/delivery/languages.wordpress.test.ts',
  on_changed_post: 'test/delivery/redelivery.wordpress.test.ts',
  on_loss: 'test/delivery/losses.wordpress.test.ts',
  post_type: 'test/delivery/post-type.wordpress.test.ts',
  public_check: 'test/delivery/public-check.db.test.ts',
}

describe('the effect of a setting on the site', () => {
  const looked = new Set<string>()

  it.each(Object.entries(groups))('of several: %s', async (_name, look) => {
    for (const [name, [actual, expected]] of Object.entries(await look())) {
      expect(actual, name).toEqual(expected)
      looked.add(name)
    }
  })

  it.each(holds)('of %s, %j: the document is held', async (_name, settings, requested, role, code) => {
    const { delivery } = await deliver(await connect(settings, { role }), requested())
    expect(delivery).toMatchObject({ status: 'held', error: { code } })
  })

  it.each(Object.entries(effects))('of %s', async (names, look) => {
    await look()
    for (const name of names.split(' ')) looked.add(name)
  })

  it.each(Object.entries(elsewhere))('of %s is in %s', (name, file) => {
    expect(readFileSync(file, 'utf8')).toContain(name)
    looked.add(name)
  })

  it('is looked at for every setting that there is', () => {
    const all = Object.keys(siteSettingsSchema.shape).filter((name) => name !== 'render')
    expect(all.filter((name) => !looked.has(name))).toEqual([])
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
