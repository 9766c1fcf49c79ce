import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { startReceiver } from '../notifications/stage.ts'
import { type DeliveryData, webhookPath } from '../support/galley.ts'
import { type Exchange, withHeaders } from '../support/proxy/index.ts'
import { type MisbehavingSite, misbehavingSite } from '../support/wordpress/index.ts'
import { type DeliveryStage, startStage } from './stage.ts'
import { asAdministrator } from './with-plugin.ts'

// The posts of one document on several sites name the first public one as their original.

let stage: DeliveryStage
let site: MisbehavingSite
let webhook: string
/** Sites with an SEO plugin; each document has a post of its own on each. */
let lanes: [Lane, Lane, Lane]

beforeAll(async () => {
  stage = await startStage()
  site = await misbehavingSite('canonical')
  webhook = await webhookPath(stage.galley)
  lanes = await Promise.all([stage.lane(), stage.lane(), stage.lane()])
  for (const { proxy } of lanes) proxy.rule({}, withPlugin)
})
afterAll(async () => {
  await site.close()
  await stage.close()
})

const withPlugin = withHeaders({ 'x-galley-test': 'canonical' })

const make = (post_status: 'draft' | 'publish' = 'publish') =>
  stage.documents.make('', { picture: false, post_status })

async function send({ body }: FaultDocument, { siteId }: Lane, more: object, path = webhook): Promise<void> {
  const delivery = { ...(body.delivery as object), ...more, id: siteId }
  const { status } = await stage.galley.call('POST', path, { ...body, delivery })
  expect(status).toBe(202)
}

async function of({ id }: FaultDocument, { siteId }: Lane): Promise<DeliveryData> {
  const path = `/v1/deliveries?document_id=${id}&site_id=${siteId}`
  const { body } = await stage.galley.call<{ data: { id: string }[] }>('GET', path)
  return (await stage.galley.call<{ data: DeliveryData }>('GET', `/v1/deliveries/${body.data[0]?.id}`)).body
    .data
}

const delivered = (document: FaultDocument, lane: Lane) =>
  expect.poll(async () => (await of(document, lane)).status).toBe('delivered')

const postOf = async (document: FaultDocument, lane: Lane) => {
  const { post } = await of(document, lane)
  return asAdministrator<{ link: string; content: { raw: string }; meta: Record<string, string> }>(
    site.url,
    'GET',
    `/wp/v2/posts/${post?.id}?context=edit`,
  )
}
const canonicalOf = async (document: FaultDocument, lane: Lane) =>
  (await postOf(document, lane)).meta._yoast_wpseo_canonical

test('of posts that are sent at once the first public one is the original of the others, which are updated afterwards', async () => {
  const document = make()
  await Promise.all(lanes.map((one) => send(document, one, { canonical: 'first' })))
  const canonicals = () => Promise.all(lanes.map((one) => canonicalOf(document, one)))
  for (const one of lanes) await delivered(document, one)
  await expect.poll(async () => (await canonicals()).filter(Boolean).length).toBe(2)
  const all = await canonicals()
  const first = lanes[all.indexOf('')] as Lane
  const { link } = await postOf(document, first)
  expect(new Set(all)).toEqual(new Set(['', link]))
  for (const one of lanes) await delivered(document, one)
})

test('one that comes later names it at once, a draft as well; a newer version keeps it; nobody is told twice', async () => {
  const [first, later] = lanes
  const document = make()
  await send(document, first, { canonical: 'first' })
  await delivered(document, first)
  const role = async () =>
    (await stage.pool.query('SELECT canonical FROM delivery WHERE document_id = $1', [document.id])).rows
  await expect.poll(role).toEqual([{ canonical: 'first' }])
  await send(document, later, { canonical: 'first', post_status: 'draft' })
  await delivered(document, later)
  const { link } = await postOf(document, first)
  expect(await canonicalOf(document, later)).toBe(link)
  const newer = stage.documents.make('', { of: document, version: 'second', picture: false })
  for (const one of [later, first]) {
    await send(newer, one, { canonical: 'first' })
    await expect.poll(async () => (await postOf(document, one)).content.raw).toContain('The second version')
  }
  expect([await canonicalOf(document, first), await canonicalOf(document, later)]).toEqual(['', link])
})

test('the late update sets that field alone, and is not told: what a person has written meanwhile stays', async () => {
  const [late, first] = lanes
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  await stage.galley.call('POST', '/v1/receivers', {
    ...{ name: 'Newsroom', url: receiver.url, events: ['delivery.delivered'] },
  })
  const document = make()
  await send(document, late, { canonical: 'first', post_status: 'draft' })
  await delivered(document, late)
  const { id, post } = await of(document, late)
  await asAdministrator(site.url, 'POST', `/wp/v2/posts/${post?.id}`, { content: 'Mine.' })
  await send(document, first, { canonical: 'first' })
  await delivered(document, first)
  const { link } = await postOf(document, first)
  await expect.poll(() => canonicalOf(document, late)).toBe(link)
  expect((await postOf(document, late)).content.raw).toBe('Mine.')
  await delivered(document, late)
  const told = await stage.pool.query('SELECT event FROM notification WHERE subject_id = $1', [id])
  expect(told.rows).toEqual([{ event: 'delivery.delivered' }])
  // And is a person's still: a newer version is held.
  const newer = stage.documents.make('', { of: document, version: 'second', picture: false })
  await send(newer, late, { canonical: 'first', post_status: 'draft' })
  await expect.poll(async () => (await of(document, late)).error?.code).toBe('post_changed')
})

test('a draft that a person publishes later is the original of those that wait, however long', async () => {
  const [published, waits] = lanes
  const document = make('draft')
  for (const one of [published, waits]) {
    await send(document, one, { canonical: 'first' })
    await delivered(document, one)
  }
  await stage.pool.query("UPDATE delivery SET updated_at = now() - interval '1 day' WHERE document_id = $1", [
    document.id,
  ])
  const { post } = await of(document, published)
  await asAdministrator(site.url, 'POST', `/wp/v2/posts/${post?.id}`, { status: 'publish' })
  const { link } = await postOf(document, published)
  // As Galley notices it.
  await stage.pool.query("UPDATE delivery SET post_status = 'publish', post_url = $2 WHERE post_id = $1", [
    post?.id,
    link,
  ])
  await expect.poll(() => canonicalOf(document, waits)).toBe(link)
  await delivered(document, waits)
})

test('a site whose plugins take no canonical address says so', async () => {
  const [[first], without] = [lanes, await stage.lane()]
  const document = make()
  await send(document, first, { canonical: 'first' })
  await delivered(document, first)
  await send(document, without, { canonical: 'first' })
  await expect
    .poll(async () => (await of(document, without)).warnings.map(({ code }) => code))
    .toContain('seo_unavailable')
  await delivered(document, without)
})

test('an address is the canonical one everywhere, and a source may say what its documents do not; "none" is neither', async () => {
  const [named, byDefault, none] = lanes
  const document = make()
  const address = 'https://original.example/post/'
  const { body } = await stage.galley.call<{ data: { url: string } }>('POST', '/v1/sources', {
    name: 'with a default',
    defaults: { canonical: 'https://default.example/' },
  })
  const path = new URL(body.data.url).pathname
  await send(document, named, { canonical: address })
  await send(document, byDefault, {}, path)
  await send(document, none, { canonical: 'none' }, path)
  for (const one of [named, byDefault, none]) await delivered(document, one)
  expect(await canonicalOf(document, named)).toBe(address)
  expect(await canonicalOf(document, byDefault)).toBe('https://default.example/')
  expect(await canonicalOf(document, none)).toBe('')
})

test('an update that a failure of the site stops is made later', async () => {
  const [late, first] = lanes
  const document = make()
  await send(document, late, { canonical: 'first', post_status: 'draft' })
  await delivered(document, late)
  let failed = 0
  late.proxy.clear()
  late.proxy.rule(
    { method: 'POST', path: /posts\/\d+$/, nth: 1 },
    {
      name: 'fails once',
      async apply({ reply }: Exchange) {
        failed += 1
        reply({ status: 503, headers: {}, body: Buffer.from('') })
      },
    },
  )
  late.proxy.rule({}, withPlugin)
  await send(document, first, { canonical: 'first' })
  await delivered(document, first)
  const { link } = await postOf(document, first)
  await expect.poll(() => canonicalOf(document, late)).toBe(link)
  expect(failed).toBe(1)
  await delivered(document, late)
})

test('a call of the API takes it as a webhook does', async () => {
  const [one] = lanes
  const document = make()
  const { status } = await stage.galley.call('POST', '/v1/deliveries', {
    id: document.id,
    data: document.body.data,
    site_ids: [one.siteId],
    delivery: { canonical: 'https://original.example/api/' },
  })
  expect(status).toBe(202)
  await delivered(document, one)
  expect(await canonicalOf(document, one)).toBe('https://original.example/api/')
})
