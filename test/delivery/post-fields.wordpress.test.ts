import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Lane } from '../faults/stage/lane.ts'
import { withHeaders } from '../support/proxy/index.ts'
import {
  type MisbehavingSite,
  misbehavingSite,
  type RestItem,
  rest,
  wordpress,
} from '../support/wordpress/index.ts'
import { codesOf, laneWith } from './plugin-lane.ts'
import { edit, otherPicture, read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// Fields of a post that a document sets, read in WordPress's own database.

let stage: DeliveryStage
let site: MisbehavingSite
let plain: Lane

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
  site = await misbehavingSite('rows')
  plain = await stage.lane()
  plain.proxy.rule({}, withHeaders({ 'x-galley-test': 'rows' }))
})
afterAll(async () => {
  await site.close()
  await stage.close()
})

interface Rows {
  post: Record<string, string>
  meta: { meta_key: string; meta_value: string }[]
  terms: { name: string; taxonomy: string }[]
  sticky: boolean
}

const rows = async (id: number | undefined): Promise<Rows> =>
  (await (await fetch(`${site.url}/wp-json/galley-test/v1/rows/${id}`)).json()) as Rows

/** Delivers a document with these fields. */
async function deliver(
  metadata: object,
  requested: { post_status?: 'draft' | 'publish' } = {},
  settings?: object,
) {
  const { siteId } = settings === undefined ? plain : await laneWith(stage, 'rows', settings)
  const delivery = await stage.deliver(withMore(stage.documents.make(siteId, { ...requested }), {}, metadata))
  return { ...delivery, rows: await rows(delivery.post?.id) }
}

const inDays = (days: number) =>
  new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().replace(/\.\d+/, '')
const inDatabase = (iso: string) => iso.replace('T', ' ').replace('Z', '')

describe('publish_at', () => {
  test('in the future schedules the post', async () => {
    const at = inDays(400)
    const { warnings, post, rows } = await deliver({ publish_at: at }, { post_status: 'publish' })
    expect(warnings).toEqual([])
    expect(post?.status).toBe('future')
    expect(rows.post).toMatchObject({ post_status: 'future', post_date_gmt: inDatabase(at) })
  })

  test('in the past publishes it now, with that date', async () => {
    const { warnings, rows } = await deliver(
      { publish_at: '2020-02-03T04:05:06+01:00' },
      { post_status: 'publish' },
    )
    expect(warnings).toEqual([])
    expect(rows.post).toMatchObject({ post_status: 'publish', post_date_gmt: '2020-02-03 03:05:06' })
  })

  test('of a draft is its date, and schedules nothing', async () => {
    const at = inDays(300)
    const { rows } = await deliver({ publish_at: at })
    expect(rows.post).toMatchObject({ post_status: 'draft', post_date_gmt: inDatabase(at) })
  })

  test('within the minute waits: WordPress would publish it at once', async () => {
    const siteId = await stage.site()
    const at = new Date(Date.now() + 100_000).toISOString()
    const document = withMore(
      stage.documents.make(siteId, { post_status: 'publish' }),
      {},
      { publish_at: at },
    )
    await stage.send(document)
    const waiting = () =>
      stage.pool.query(
        `SELECT post_id, due_at > now() + interval '20 s' AS later FROM delivery WHERE document_id = $1 AND error ->> 'code' = 'publish_time_near'`,
        [document.id],
      )
    await expect.poll(async () => (await waiting()).rows).toMatchObject([{ later: true }])
    const { post_id } = (await waiting()).rows[0] as { post_id: number }
    expect((await read(post_id)).status).toBe('draft')
  })

  test('is kept by a newer version without it, and moved by one with another', async () => {
    const siteId = await stage.site()
    const [first, second] = [inDays(100), inDays(200)]
    const make = (of: object, at: string) =>
      withMore(stage.documents.make(siteId, { post_status: 'publish', ...of }), {}, { publish_at: at })
    const document = make({}, first)
    const { post } = await stage.deliver(document)
    const moved = await stage.deliver(make({ of: document, version: 'second' }, second))
    expect(moved).toMatchObject({ status: 'delivered', warnings: [] })
    expect((await rows(post?.id)).post).toMatchObject({
      post_status: 'future',
      post_date_gmt: inDatabase(second),
    })
  })
})

test('what is sent besides stands in the database', async () => {
  const { warnings, rows } = await deliver(
    {
      excerpt: 'Two tides, one moon.',
      slug: `own-${stage.documents.word}`,
      format: 'aside',
      template: 'wide.php',
      sticky: true,
      comments: false,
      pings: 'closed',
      menu_order: 3,
    },
    { post_status: 'publish' },
  )
  // A post has no order.
  expect(codesOf({ warnings })).toEqual(['menu_order_dropped'])
  expect(rows.post).toMatchObject({
    post_excerpt: 'Two tides, one moon.',
    post_name: `own-${stage.documents.word}`,
    comment_status: 'closed',
    ping_status: 'closed',
  })
  expect(rows.terms).toContainEqual({ name: 'post-format-aside', taxonomy: 'post_format' })
  expect(rows.meta).toContainEqual({ meta_key: '_wp_page_template', meta_value: 'wide.php' })
  expect(rows.sticky).toBe(true)
})

test('a private post is private, and a password stands', async () => {
  const hidden = await deliver({ visibility: 'private' }, { post_status: 'publish' })
  expect([hidden.warnings, hidden.rows.post.post_status]).toEqual([[], 'private'])
  const locked = await deliver({ password: 'low tide' }, { post_status: 'publish' })
  expect([locked.warnings, locked.rows.post]).toMatchObject([
    [],
    { post_password: 'low tide', post_status: 'publish' },
  ])
})

test('a draft cannot be private: said', async () => {
  expect(codesOf(await deliver({ visibility: 'private' }))).toEqual(['visibility_dropped'])
})

test('what the site does not take costs that alone', async () => {
  const { status, warnings, rows } = await deliver(
    { template: 'none.php', sticky: true, password: 'low tide', comments: 'closed' },
    { post_status: 'publish' },
  )
  expect(status).toBe('delivered')
  expect(codesOf({ warnings }).sort()).toEqual(['sticky_dropped', 'template_dropped'])
  expect(rows.post).toMatchObject({
    post_status: 'publish',
    post_password: 'low tide',
    comment_status: 'closed',
  })
})

test('the document goes before its source, and the source before the site', async () => {
  const { siteId } = await laneWith(stage, 'rows', {
    defaults: { comments: 'closed', pings: 'closed', format: 'aside' },
  })
  const made = await stage.galley.call<{ data: { url: string } }>('POST', '/v1/sources', {
    name: 'Maker',
    defaults: { pings: 'open', format: 'image' },
  })
  const document = withMore(stage.documents.make(siteId), {}, { format: 'quote' })
  await stage.galley.call('POST', new URL(made.body.data.url).pathname, document.body)
  await expect
    .poll(
      async () =>
        (await stage.pool.query('SELECT status FROM delivery WHERE document_id = $1', [document.id])).rows,
    )
    .toEqual([{ status: 'delivered' }])
  const {
    rows: [found],
  } = await stage.pool.query('SELECT post_id FROM delivery WHERE document_id = $1', [document.id])
  const { post, terms } = await rows(found.post_id)
  expect(post).toMatchObject({ comment_status: 'closed', ping_status: 'open' })
  expect(terms).toContainEqual({ name: 'post-format-quote', taxonomy: 'post_format' })
})

test('a field that a person has changed holds a newer version that says otherwise', async () => {
  const siteId = await stage.site()
  const { document, post } = await (async () => {
    const document = withMore(stage.documents.make(siteId), {}, { format: 'aside', comments: 'closed' })
    return { document, post: (await stage.deliver(document)).post }
  })()
  await edit(post?.id, { format: 'quote' })
  const next = (format: string) =>
    withMore(
      stage.documents.make(siteId, { of: document, version: format }),
      {},
      { format, comments: 'closed' },
    )
  expect(await stage.deliver(next('image'))).toMatchObject({
    status: 'held',
    error: { code: 'post_changed', message: expect.stringContaining('format') },
  })
  expect(await read(post?.id)).toMatchObject({ format: 'quote' })
  expect(await stage.deliver(next('quote'))).toMatchObject({ status: 'delivered' })
})

test('the same version again sends nothing', async () => {
  const siteId = await stage.site()
  const document = withMore(stage.documents.make(siteId), {}, { format: 'aside', password: 'x' })
  const { id } = await stage.deliver(document)
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
  await expect
    .poll(async () => (await stage.pool.query('SELECT status FROM delivery WHERE id = $1', [id])).rows)
    .toEqual([{ status: 'delivered' }])
  const { rows } = await stage.pool.query(
    `SELECT outcome FROM delivery_step WHERE delivery_id = $1 AND step = 'fill'`,
    [id],
  )
  expect(rows.map(({ outcome }) => outcome)).toContain('unchanged')
})

describe('a time of publication that is not read', () => {
  test.each([
    ['metadata', { embargo_until: 'next week' }],
    ['data', { publish_at: '2040-01-01T00:00:00Z' }],
  ])('in %s holds what was to be public: %j', async (where, member) => {
    const siteId = await stage.site()
    const made = stage.documents.make(siteId, { post_status: 'publish' })
    const document = where === 'data' ? withMore(made, member) : withMore(made, {}, member)
    expect(await stage.deliver(document)).toMatchObject({
      status: 'held',
      post: null,
      error: { code: 'embargo_unread', message: expect.stringContaining(Object.keys(member)[0] as string) },
    })
  })

  test('in the front matter of Markdown holds what was to be public, and no draft', async () => {
    const siteId = await stage.site()
    const markdown = (post_status: 'draft' | 'publish') => {
      const document = stage.documents.make(siteId, { post_status })
      const content = '---\ntitle: Later\npublishDate: 2140-01-31\n---\nSlack water.'
      return { ...document, body: { ...document.body, data: { content } } }
    }
    expect(await stage.deliver(markdown('publish'))).toMatchObject({
      status: 'held',
      error: { code: 'embargo_unread', message: expect.stringContaining('publishDate') },
    })
    expect(await stage.deliver(markdown('draft'))).toMatchObject({ status: 'delivered' })
  })

  test('holds no draft, and none whose time is over', async () => {
    const siteId = await stage.site()
    const draft = withMore(stage.documents.make(siteId), {}, { scheduled: true })
    expect(await stage.deliver(draft)).toMatchObject({ status: 'delivered' })
    const over = withMore(stage.documents.make(siteId, { post_status: 'publish' }), {
      published_at: '2020-01-01',
    })
    expect(await stage.deliver(over)).toMatchObject({ status: 'delivered' })
  })

  test('is published by a retry that says so', async () => {
    const siteId = await stage.site()
    const document = withMore(
      stage.documents.make(siteId, { post_status: 'publish' }),
      {},
      { scheduled: true },
    )
    const { id } = await stage.deliver(document)
    await stage.galley.call('POST', `/v1/deliveries/${id}/retry`, { on_loss: 'publish' })
    await expect
      .poll(async () => (await stage.pool.query('SELECT post_status FROM delivery WHERE id = $1', [id])).rows)
      .toEqual([{ post_status: 'publish' }])
  })
})

describe('what a document calls by its name', () => {
  const { login } = wordpress().users.author

  test('author: by login, whatever its case; of one that is not there, the site’s own, said', async () => {
    const { warnings, rows } = await deliver({ author: login.toUpperCase() })
    expect(warnings).toEqual([])
    const [user] = await rest<RestItem[]>('administrator', 'GET', `/wp/v2/users?search=${login}&context=edit`)
    expect(rows.post.post_author).toBe(String(user?.id))
    const other = await deliver({ author: 'Nobody Here' })
    expect(codesOf(other)).toEqual(['author_unknown'])
    expect(other.status).toBe('delivered')
    const byEmail = await deliver({ author: 'author@example.com' })
    expect(byEmail.warnings[0]?.message).toContain('may list users')
  })

  test('author: by e-mail address, where the user may list users', async () => {
    const path = `/wp/v2/users?search=${login}&context=edit`
    const [user] = await rest<(RestItem & { email: string })[]>('administrator', 'GET', path)
    const { siteId } = await stage.lane('administrator')
    const document = stage.documents.make(siteId)
    const author = user?.email.toUpperCase()
    const { warnings, post } = await stage.deliver(withMore(document, {}, { author }))
    expect(warnings).toEqual([])
    expect((await read(post?.id)).author).toBe(user?.id)
  })

  test.each(['word.of', 'word@example.com'])('author: by a login as it is written, as %s', async (form) => {
    const login = form.replace('word', `${stage.documents.word}-login`)
    const user = await rest<RestItem>('administrator', 'POST', '/wp/v2/users', {
      ...{ username: login, email: `${stage.documents.word}@example.com`, password: login },
      ...{ name: 'Somebody Else', roles: ['author'] },
    })
    onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/users/${user.id}?force=true&reassign=1`))
    const { warnings, post } = await deliver({ author: login })
    expect(warnings).toEqual([])
    expect((await read(post?.id)).author).toBe(user.id)
  })

  test('author, where the user may not write for others, costs that alone', async () => {
    const lane = await stage.lane('author')
    const { administrator } = wordpress().users
    const document = withMore(
      stage.documents.make(lane.siteId),
      {},
      { author: administrator.login, format: 'aside' },
    )
    const delivery = await stage.deliver(document)
    expect([delivery.status, codesOf(delivery)]).toEqual(['delivered', ['author_dropped']])
    expect(await read(delivery.post?.id)).toMatchObject({ format: 'aside' })
  })

  test('terms of custom taxonomies, by name and path', async () => {
    const word = stage.documents.word
    const { warnings, rows } = await deliver(
      { taxonomies: { genre: [`${word} essay`], Place: [`${word} Europe > ${word} France`], none: ['x'] } },
      {},
      { always_add: { genre: [`${word} always`] } },
    )
    expect(codesOf({ warnings })).toEqual(['taxonomy_unknown'])
    expect(warnings[0]?.message).toContain('genre, place')
    expect(rows.terms).toEqual(
      expect.arrayContaining([
        { name: `${word} essay`, taxonomy: 'genre' },
        { name: `${word} always`, taxonomy: 'genre' },
        { name: `${word} France`, taxonomy: 'place' },
      ]),
    )
  })

  test('custom fields, of meta and of ACF, held against what the site asks', async () => {
    const { warnings, rows } = await deliver({
      fields: { subtitle: 'What the moon does', region: 'north', mood: 'furious', secret: 1 },
    })
    expect(codesOf({ warnings })).toEqual(['custom_field_unfit', 'custom_field_unknown'])
    expect(warnings[0]?.message).toContain('is one of "calm", "wild"')
    expect(warnings[1]?.message).toContain('“secret”')
    expect(rows.meta).toEqual(
      expect.arrayContaining([
        { meta_key: 'subtitle', meta_value: 'What the moon does' },
        { meta_key: 'acf_region', meta_value: 'north' },
      ]),
    )
  })

  test('the featured image, with its words', async () => {
    const siteId = await stage.site()
    const document = stage.documents.make(siteId, { picture: true })
    const url = otherPicture(document)
    const { post } = await stage.deliver(
      withMore(
        document,
        {},
        { featured_image: { url, alt: 'Low tide', caption: 'The beach at <low> tide' } },
      ),
    )
    const { featured_media } = await read(post?.id)
    expect(await rest('administrator', 'GET', `/wp/v2/media/${featured_media}?context=edit`)).toMatchObject({
      alt_text: 'Low tide',
      caption: { raw: 'The beach at &lt;low> tide' },
    })
  })

  test('a page below another one, in an order', async () => {
    const parent = await rest<RestItem>('administrator', 'POST', '/wp/v2/pages', {
      title: `${stage.documents.word} parent`,
      slug: `${stage.documents.word}-parent`,
      status: 'publish',
    })
    onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/pages/${parent.id}?force=true`))
    const of = {
      post_type: 'page',
      parent: `about/${stage.documents.word}-parent`,
      menu_order: 7,
      comments: 'closed',
    }
    const { warnings, rows, post } = await deliver(of)
    onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/pages/${post?.id}?force=true`))
    expect(codesOf({ warnings })).toEqual(['categories_unavailable'])
    expect(rows.post).toMatchObject({ post_type: 'page', post_parent: String(parent.id), menu_order: '7' })
    expect(codesOf(await deliver({ parent: 999_999_999 }))).toEqual(['parent_unknown'])
  })

  describe('a parent', () => {
    const page = async (fields: object): Promise<number> => {
      const body = { title: `${stage.documents.word} page`, status: 'publish', ...fields }
      const { id } = await rest<RestItem>('administrator', 'POST', '/wp/v2/pages', body)
      onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/pages/${id}?force=true`))
      return id
    }
    const below = async (parent: string) => {
      const { warnings, rows, post } = await deliver({ post_type: 'page', parent })
      onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/pages/${post?.id}?force=true`))
      const said = warnings.filter(({ code }) => code.startsWith('parent_'))
      return { id: Number(rows.post.post_parent), said }
    }

    test('is the one at the path of several with its name, else the one nearest the top', async () => {
      const word = `${stage.documents.word}-team`
      const [one, other] = [await page({ slug: `${word}-one` }), await page({ slug: `${word}-other` })]
      const [first, second] = [
        await page({ slug: word, parent: one }),
        await page({ slug: word, parent: other }),
      ]
      expect(await below(`${word}-other/${word}`)).toEqual({ id: second, said: [] })
      const { id, said } = await below(word)
      expect([id, codesOf({ warnings: said })]).toEqual([first, ['parent_ambiguous']])
      expect(said[0]?.message).toMatch(new RegExp(`-one/${word}/ was used, and not .*-other/${word}/`))
      const top = await page({ slug: word })
      expect(await below(word)).toEqual({ id: top, said: [] })
    })

    test('is found by a name in another script, as it is read and as a browser copies it', async () => {
      const slug = `о-нас-${stage.documents.word}`
      const id = await page({ slug })
      expect(await below(slug)).toEqual({ id, said: [] })
      expect(await below(encodeURIComponent(slug))).toEqual({ id, said: [] })
    })

    test('is found by a name whose accents WordPress has taken away', async () => {
      const id = await page({ slug: `ueber-uns-${stage.documents.word}` })
      expect(await below(`über-uns-${stage.documents.word}`)).toEqual({ id, said: [] })
    })
  })

  test('a type of post that the site does not have holds the delivery, with those it has', async () => {
    const document = withMore(stage.documents.make(plain.siteId), {}, { post_type: 'podcast' })
    expect(await stage.deliver(document)).toMatchObject({
      status: 'held',
      post: null,
      error: { code: 'post_type_unknown', message: expect.stringContaining('leaflet') },
    })
  })
})

test('what is said for search engines stands where the site’s plugin takes it; the rest is said', async () => {
  const { warnings, rows } = await deliver({
    seo: { title: 'Two tides', noindex: true, canonical: 'https://example.com/tides' },
  })
  expect(codesOf({ warnings })).toEqual(['seo_unavailable'])
  expect(warnings[0]?.message).toContain('seo.canonical')
  expect(warnings[0]?.message).toContain('rank_math_canonical_url')
  expect(rows.meta).toEqual(
    expect.arrayContaining([
      { meta_key: '_yoast_wpseo_title', meta_value: 'Two tides' },
      { meta_key: '_yoast_wpseo_meta-robots-noindex', meta_value: '1' },
    ]),
  )
})

test('a language that the site has is that of the post’s terms; another one is said', async () => {
  const { siteId, url } = await laneWith(stage, 'languages')
  const tag = `${stage.documents.word} english`
  const make = (language: string) => withMore(stage.documents.make(siteId), {}, { language, tags: [tag] })
  expect(codesOf(await stage.deliver(make('en')))).toEqual([])
  const inLanguage = async (lang: string) =>
    (await (
      await fetch(`${url}/wp-json/wp/v2/tags?lang=${lang}&search=${encodeURIComponent(tag)}`)
    ).json()) as RestItem[]
  expect([(await inLanguage('en')).length, await inLanguage('fr')]).toEqual([1, []])
  const other = await stage.deliver(make('xx'))
  expect([other.status, codesOf(other)]).toEqual(['delivered', ['language_unavailable']])
  expect(codesOf(await deliver({ language: 'en' }))).toEqual(['language_unavailable'])
})

test('a reference of the sender’s own is returned and searched by', async () => {
  const siteId = await stage.site()
  const reference = `order ${stage.documents.word}`
  const document = withMore(stage.documents.make(siteId), {}, { reference })
  const { id } = await stage.deliver(document)
  const { body } = await stage.galley.call<{
    data: { id: string; document_id: string; reference: string }[]
  }>('GET', `/v1/deliveries?search=${encodeURIComponent(reference)}`)
  expect(body.data).toMatchObject([{ id, document_id: document.id, reference }])
})
