import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { resetAfter } from '../support/proxy/index.ts'
import { type RestItem, type Role, rest, wordpress } from '../support/wordpress/index.ts'
import { codesOf, laneWith } from './plugin-lane.ts'
import { deliverFirst, edit, read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
})

afterAll(() => stage.close())

/** A document with this title, or slug; without a slug where none is given. */
function named(
  siteId: string,
  title: string,
  { slug, ...more }: { slug?: string; post_status?: 'publish' } = {},
) {
  const document = stage.documents.make(siteId, { post_status: 'publish', ...more })
  const { content } = document.body.data as { content: object }
  return withMore(document, { title, content: { ...content, meta: { title, slug } } })
}

const word = () => stage.documents.word

/** Something of a person's, until the test ends. */
async function made(route: string, fields: object): Promise<RestItem> {
  const item = await rest<RestItem>('administrator', 'POST', `/wp/v2/${route}`, {
    status: 'publish',
    ...fields,
  })
  onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/${route}/${item.id}?force=true`))
  return item
}

/** What a reader of the post's address is shown. */
async function shownAt(link: unknown): Promise<string> {
  const answer = await fetch(String(link))
  return `${answer.status} ${/\bpostid-(\d+)/.exec(await answer.text())?.[1]}`
}

test.each<[Role, [title: string, slug: string][]]>([
  [
    'editor',
    [
      ['R&D budgets < 5% of revenue', 'rd-budgets-5-of-revenue'],
      ['Salt & vinegar; AT&amp;T > all <em>rest</em>', 'salt-vinegar-att-all-emrest-em'],
      ['It’s 1,000.5 km/h – “why”?', 'its-1000-5-km-h-why'],
    ],
  ],
  ['author', [['R&D budgets < 5% of revenue', 'rd-budgets-5-of-revenue']]],
])('an %s’s titles become slugs as WordPress makes them', async (role, titles) => {
  const siteId = role === 'editor' ? await stage.site() : (await stage.lane(role)).siteId
  await Promise.all(
    titles.map(async ([title, slug]) => {
      const delivery = await stage.deliver(named(siteId, `${word()} ${role} ${title}`))
      const codes = delivery.warnings.map(({ code }) => code)
      expect(codes.filter((code) => code.startsWith('slug_'))).toEqual([])
      expect((await read(delivery.post?.id)).slug).toBe(`${word()}-${role}-${slug}`)
    }),
  )
})

test.each([
  ['de_DE', 'Wärmepumpe & Öl für Füße', 'waermepumpe-oel-fuer-fuesse'],
  ['sr_RS', 'Đak < đumbir', 'djak-djumbir'],
  ['ca', 'Pel·lícula & paral·lel', 'pellicula-parallel'],
])('in %s, “%s” is transliterated as WordPress does: %s', async (locale, title, slug) => {
  const { siteId } = await laneWith(stage, `locale:${locale}`)
  const delivery = await stage.deliver(named(siteId, `${word()} ${title}`))
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
  expect((await read(delivery.post?.id)).slug).toBe(`${word()}-${slug}`)
})

test('a draft gets the slug of its title too, the sender’s slug goes first, and a later version changes neither', async () => {
  const siteId = await stage.site()
  const title = `${word()} Profit & loss <`
  const draft = stage.documents.make(siteId)
  const { content } = draft.body.data as { content: object }
  const untitled = withMore(draft, { title, content: { ...content, meta: {} } })
  const { post } = await stage.deliver(untitled)
  expect((await read(post?.id)).slug).toBe(`${word()}-profit-loss`)
  const other = await deliverFirst(stage, siteId, { post_status: 'publish' })
  const before = await read(other.post?.id)
  const newer = withMore(other.next('second'), { title: `${word()} another title` })
  await stage.deliver(newer)
  expect(before.slug).toBe(
    (other.document.body.data as { content: { meta: { slug: string } } }).content.meta.slug,
  )
  expect(await read(other.post?.id)).toMatchObject({
    slug: before.slug,
    title: { raw: `${word()} another title` },
  })
})

test('a sender’s slug in any script is stored without a word', async () => {
  const siteId = await stage.site()
  const slugs = ['как-так', 'ما هو المد', encodeURIComponent('почему-прилив'), 'Why_Tides-Come']
  const requested = slugs.map((slug) => named(siteId, `${word()} ${slug}`, { slug: `${slug}-${word()}` }))
  for (const delivery of await Promise.all(requested.map((document) => stage.deliver(document))))
    expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
})

test('of a slug that is longer than WordPress keeps, the delivery says what is left', async () => {
  const siteId = await stage.site()
  const slug = `${word()}-${'прилив-'.repeat(10)}`
  const delivery = await stage.deliver(named(siteId, `${word()} ${slug}`, { slug }))
  expect(codesOf(delivery)).toEqual(['slug_shortened'])
  // Without a slug from the sender, nothing was asked for that is missing.
  const titled = await stage.deliver(named(siteId, `${word()} ${'отлив '.repeat(20)}`))
  expect(titled).toMatchObject({ status: 'delivered', warnings: [] })
})

test.each<[Role, string, 'publish' | 'draft']>([
  ['editor', 'Not yet public', 'draft'],
  ['author', 'О нас', 'publish'],
])('%s: a post “%s” beside a page of that slug (%s) is reached', async (role, name, status) => {
  const { siteId } = await stage.lane(role)
  const page = await made('pages', { title: `${word()} ${name}`, slug: `${word()} ${name}`, status })
  const delivery = await stage.deliver(named(siteId, `${word()} ${name}`))
  expect(delivery.warnings).toMatchObject([
    {
      code: 'slug_taken',
      message: expect.stringContaining('leads to a page, a category or another kind of post'),
    },
  ])
  const post = await read(delivery.post?.id)
  expect(post.slug).toBe(`${page.slug}-2`)
  expect(await shownAt(post.link)).toBe(`200 ${post.id}`)
})

test('a slug that a page has is found taken while the draft is made, once an earlier post has shown where posts lie', async () => {
  const siteId = await stage.site()
  await stage.deliver(named(siteId, `${word()} first`))
  const page = await made('pages', { title: `${word()} Prices` })
  const delivery = await stage.deliver(named(siteId, `${word()} Prices`))
  expect(codesOf(delivery)).toEqual(['slug_taken'])
  expect((await read(delivery.post?.id)).slug).toBe(`${page.slug}-2`)
})

test('a page below another one takes no address away, and neither does a file', async () => {
  const siteId = await stage.site()
  const parent = await made('pages', { title: `${word()} parent` })
  await made('pages', { title: `${word()} child`, parent: parent.id })
  const delivery = await stage.deliver(named(siteId, `${word()} child`))
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
  expect((await read(delivery.post?.id)).slug).toBe(`${word()}-child`)
})

test('addresses of WordPress’s own are left to it', async () => {
  const siteId = await stage.site()
  const slugs = ['wp-json', 'page2', 'feed', '2024']
  await Promise.all(
    slugs.map(async (slug) => {
      const delivery = await stage.deliver(named(siteId, `${word()} about ${slug}`, { slug }))
      const post = await read(delivery.post?.id)
      expect(post.slug).toMatch(new RegExp(`^${slug}-\\d+$`))
      expect(codesOf(delivery)).toHaveLength(1)
      expect(await shownAt(post.link)).toBe(`200 ${post.id}`)
      await edit(post.id, { status: 'draft', slug: `${word()}-${slug}-over` })
    }),
  )
})

test.each([
  ['no-category-base', 'a category'],
  ['books', 'a list of another type'],
])('with %s, a post is reached beside %s of its slug', async (plugin) => {
  const slug = plugin === 'books' ? 'books' : `${word()}-news`
  if (plugin !== 'books') await made('categories', { name: slug, slug })
  const { siteId, url } = await laneWith(stage, plugin)
  const delivery = await stage.deliver(named(siteId, `${word()} ${plugin}`, { slug }))
  expect(codesOf(delivery)).toEqual(['slug_taken'])
  const post = await read(delivery.post?.id)
  expect(post.slug).toBe(`${slug}-2`)
  expect(await shownAt(String(post.link).replace(wordpress().url, url))).toBe(`200 ${post.id}`)
  await edit(post.id, { status: 'draft', slug: `${word()}-${plugin}-over` })
})

test('where addresses have numbers and no slugs, a page of the same slug takes none away', async () => {
  await made('pages', { title: `${word()} numbered` })
  const { siteId } = await laneWith(stage, 'permalinks:<post_id>')
  const delivery = await stage.deliver(named(siteId, `${word()} numbered`))
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
})

test('a post that was delivered before a restore, beside a page of its slug, is known again', async () => {
  const siteId = await stage.site()
  await made('pages', { title: `${word()} twice` })
  const document = named(siteId, `${word()} twice`)
  const first = await stage.deliver(document)
  await stage.pool.query('DELETE FROM delivery WHERE document_id = $1', [document.id])
  await stage.pool.query('DELETE FROM event WHERE document_id = $1', [document.id])
  const again = await stage.deliver(document)
  expect(again.post?.id).toBe(first.post?.id)
  expect(codesOf(again)).toEqual(['slug_taken'])
})

test('a post that is known again after a restore has its slug, and nothing is said of the second one', async () => {
  const siteId = await stage.site()
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  const first = await stage.deliver(document)
  await stage.pool.query('DELETE FROM delivery WHERE document_id = $1', [document.id])
  await stage.pool.query('DELETE FROM event WHERE document_id = $1', [document.id])
  expect(await stage.deliver(document)).toMatchObject({ post: { id: first.post?.id }, warnings: [] })
})

test.each(['editor', 'author'] as const)(
  'a title with what looks like a tag keeps it, also where the answer to the fill of an %s is lost',
  async (role) => {
    const { siteId, proxy } = await stage.lane(role)
    const document = stage.documents.make(siteId)
    const title = `${stage.documents.word} Option<T> & 1 < 2`
    proxy.rule({ method: 'POST', path: /\/posts\/\d+$/, nth: 1 }, resetAfter)
    const { status, post } = await stage.deliver(withMore(document, { title, description: title }))
    expect(status).toBe('delivered')
    const { title: shown } = await read(post?.id)
    expect((shown as { rendered: string }).rendered).toMatch(/Option&lt;T(>|&gt;) .* 1 &lt; 2$/)
  },
)
