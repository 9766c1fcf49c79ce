import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { DeliveryData } from '../support/galley.ts'
import { alter, answer, startFaultProxy } from '../support/proxy/index.ts'
import { misbehavingSite, type RestItem, removeMedia, rest, wordpress } from '../support/wordpress/index.ts'
import { codesOf, laneWith } from './plugin-lane.ts'
import { edit, read, withMore } from './posts.ts'
import { afterLooks } from './public-looks.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage
/** Looked at by tests that change nothing of it, as other plugins show it. */
let standing: Awaited<ReturnType<typeof published>>

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
  standing = await published({ data: { title: `${stage.documents.word} is of a harbour` } })
})

afterAll(() => stage.close())

/** A post that went public, at an address that begins with `origin`. */
async function published(more: { picture?: boolean; data?: object; metadata?: object } = {}) {
  const siteId = await stage.site()
  const { picture = false, data = {}, metadata = {} } = more
  const document = stage.documents.make(siteId, { picture, post_status: 'publish' })
  const delivery = await stage.deliver(withMore(document, data, metadata))
  const url = String(delivery.post?.url)
  const at = (origin: string) => url.replace(wordpress().url, origin)
  return { delivery, id: delivery.post?.id as number, url, at }
}

test('a post that readers see has no warning, and its page costs one request', async () => {
  const { delivery, at, url } = await published()
  const proxy = await startFaultProxy(wordpress().url, { rewriteUrls: true })
  onTestFinished(() => proxy.close())
  const after = await afterLooks(stage, delivery.id, at(proxy.url))
  expect(after).toMatchObject({ status: 'delivered', warnings: [] })
  expect(proxy.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET ${new URL(url).pathname}`,
  ])
  expect(after.timeline).toEqual(delivery.timeline)
})

test.each([
  ['discouraged', 'public_noindex', 'Discourage search engines'],
  ['noindex-header', 'public_noindex', 'X-Robots-Tag'],
  ['coming-soon', 'public_coming_soon', 'not open yet'],
  ['under-maintenance', 'public_coming_soon', 'under maintenance'],
  ['members-only', 'public_login', 'log in'],
  ['basic-auth', 'public_login', 'log in'],
  ['sends-home', 'public_redirected', 'sends visitors on to'],
  ['excerpts-only', 'public_text_missing', 'does not show the text'],
  ['renames-posts', 'public_title_missing', 'not its title'],
])('on a site that is %s, the delivery warns: %s', async (plugin, code, words) => {
  const { delivery, at } = standing
  const site = await misbehavingSite(plugin)
  onTestFinished(() => site.close())
  const after = await afterLooks(stage, delivery.id, at(site.url))
  expect(after).toMatchObject({
    status: 'delivered',
    warnings: [{ code, message: expect.stringContaining(words) }],
  })
  expect(after.timeline.at(-1)).toMatchObject({ step: 'public', outcome: 'found', detail: code })
})

test.each(['untitled-theme', 'bare-theme'])('on a site with %s, a post is seen', async (plugin) => {
  const { delivery, at } = standing
  const site = await misbehavingSite(plugin)
  onTestFinished(() => site.close())
  expect(await afterLooks(stage, delivery.id, at(site.url))).toMatchObject({ warnings: [] })
})

test('where addresses begin with the category, a post is seen', async () => {
  const lane = await laneWith(stage, 'permalinks:<category>.<postname>')
  const document = stage.documents.make(lane.siteId, { post_status: 'publish' })
  const { id, post } = await stage.deliver(document)
  const url = String(post?.url).replace(wordpress().url, lane.url)
  expect(await afterLooks(stage, id, url)).toMatchObject({ warnings: [] })
})

test('where addresses are by number alone, a post is seen', async () => {
  const { delivery, id } = standing
  const site = await misbehavingSite('permalinks:')
  onTestFinished(() => site.close())
  expect(await afterLooks(stage, delivery.id, `${site.url}/?p=${id}`)).toMatchObject({ warnings: [] })
})

test('a page of the same slug that came later is named', async () => {
  const { delivery, id, url } = await published()
  const { slug } = await read(id)
  const page = await rest<RestItem>('administrator', 'POST', '/wp/v2/pages', {
    ...{ title: 'About our harbour', slug, status: 'publish', content: 'Boats.' },
  })
  onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/pages/${page.id}?force=true`))
  const after = await afterLooks(stage, delivery.id, url)
  expect(after.warnings).toMatchObject([
    { code: 'public_other_page', message: expect.stringContaining('“About our harbour'), severity: 'loss' },
  ])
})

test('an address of WordPress itself is told from a page', async () => {
  const { delivery } = standing
  for (const slug of ['wp-admin/', 'feed/', 'wp-json/', 'embed/', 'page/'])
    expect([slug, codesOf(await afterLooks(stage, delivery.id, `${wordpress().url}/${slug}`))]).toEqual([
      slug,
      ['public_reserved_address'],
    ])
})

test('a 404 is a cache’s or WordPress’s own, or the post is not public any more', async () => {
  const { delivery, id, at } = await published()
  const proxy = await startFaultProxy(wordpress().url, { rewriteUrls: true })
  onTestFinished(() => proxy.close())
  const gone = answer({
    status: 404,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from('Not found'),
  })
  proxy.rule({ where: ({ url }) => !url.includes('galley=') }, gone)
  const cached = await afterLooks(stage, delivery.id, at(proxy.url))
  expect(cached.warnings).toMatchObject([
    { code: 'public_cached_404', message: expect.stringContaining('Clear the cache'), severity: 'loss' },
  ])
  proxy.rule({}, gone)
  const lost = await afterLooks(stage, delivery.id, at(proxy.url))
  expect(lost.warnings).toMatchObject([
    { code: 'public_not_found', message: expect.stringContaining('Permalinks'), severity: 'loss' },
  ])
  await edit(id, { status: 'draft' })
  const withdrawn = await afterLooks(stage, delivery.id, at(proxy.url))
  expect(withdrawn.warnings).toEqual([])
  expect(withdrawn.timeline.at(-1)).toMatchObject({ step: 'public', outcome: 'fine' })
})

test('a scheduled post is followed when its time has come', async () => {
  const { delivery, url } = await published()
  await stage.pool.query(`UPDATE delivery SET post_status = 'future' WHERE id = $1`, [delivery.id])
  await afterLooks(stage, delivery.id, url)
  const now = async () =>
    (await stage.galley.call<{ data: DeliveryData }>('GET', `/v1/deliveries/${delivery.id}`)).body.data
  await expect.poll(now).toMatchObject({
    post: { status: 'publish' },
    timeline: expect.arrayContaining([expect.objectContaining({ step: 'follow', outcome: 'published' })]),
  })
})

test('what a cache answered first is looked at again, and what it found then goes', async () => {
  const { delivery, at } = await published()
  const proxy = await startFaultProxy(wordpress().url, { rewriteUrls: true })
  onTestFinished(() => proxy.close())
  const old = alter('old', (reply) => ({ ...reply, body: Buffer.from('<title>Old</title><p>An older page') }))
  proxy.rule({ nth: 1 }, old)
  const after = await afterLooks(stage, delivery.id, at(proxy.url))
  expect(after.warnings).toEqual([])
  const lines = after.timeline.filter(({ step }) => step === 'public')
  expect(lines).toMatchObject([{ outcome: 'found', detail: 'public_text_missing' }, { outcome: 'fine' }])
})

test('a picture that is not there is named', async () => {
  const { delivery, id, url } = await published({ picture: true })
  expect(await afterLooks(stage, delivery.id, url)).toMatchObject({ warnings: [] })
  const [media] = await rest<RestItem[]>('administrator', 'GET', `/wp/v2/media?parent=${id}`)
  await removeMedia(media?.id as number)
  const after = await afterLooks(stage, delivery.id, url)
  expect(after.warnings).toMatchObject([
    {
      code: 'public_picture_missing',
      message: expect.stringContaining(String(media?.source_url)),
      severity: 'loss',
    },
  ])
})

test.each([['潮汐为什么会来？'], ['R&D budgets < 5% of “revenue” – 3x4 isn’t it'], ['🚀🚀']])(
  'the title “%s” is found on its page',
  async (title) => {
    const { delivery, url } = await published({ data: { title: `${stage.documents.word} ${title}` } })
    expect(
      codesOf(await afterLooks(stage, delivery.id, url)).filter((code) => code.startsWith('public_')),
    ).toEqual([])
  },
)

test('posts with a password, private ones and drafts are not looked at', async () => {
  const plans = async (metadata: object, post_status: 'publish' | 'draft' = 'publish') => {
    const document = stage.documents.make(await stage.site(), { post_status })
    const { id } = await stage.deliver(withMore(document, {}, metadata))
    const { rows } = await stage.pool.query('SELECT public_check_at FROM delivery WHERE id = $1', [id])
    return rows[0].public_check_at
  }
  expect(await plans({ password: 'harbour' })).toBeNull()
  expect(await plans({ visibility: 'private' })).toBeNull()
  expect(await plans({}, 'draft')).toBeNull()
  expect(await plans({})).not.toBeNull()
})

test('a scheduled post is looked at after its time, and again where that was put off', async () => {
  const publishAt = new Date(Date.now() + 3 * 24 * 60 * 60_000)
  publishAt.setMilliseconds(0)
  const { delivery, id } = await published({ metadata: { publish_at: publishAt.toISOString() } })
  const { rows } = await stage.pool.query('SELECT public_check_at FROM delivery WHERE id = $1', [delivery.id])
  expect(rows[0].public_check_at.getTime()).toBeGreaterThan(publishAt.getTime())
  // The post is scheduled still, so that it waits once more.
  await stage.pool.query('UPDATE delivery SET public_check_at = now() WHERE id = $1', [delivery.id])
  await expect
    .poll(async () => {
      const looked = await stage.pool.query(
        'SELECT public_looks, public_check_at FROM delivery WHERE id = $1',
        [delivery.id],
      )
      return looked.rows[0].public_looks === 1 && looked.rows[0].public_check_at > publishAt
    })
    .toBe(true)
  await rest('administrator', 'DELETE', `/wp/v2/posts/${id}?force=true`)
})
