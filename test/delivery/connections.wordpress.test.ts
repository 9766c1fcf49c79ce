import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { atRest } from '../faults/stage/oracle.ts'
import { type DeliveryData, webhookPath } from '../support/galley.ts'
import { pages, resetAfter } from '../support/proxy/index.ts'
import { type RestItem, type Role, rest } from '../support/wordpress/index.ts'
import { postsOf } from './plugin-lane.ts'
import { contentOf } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// Several connections of one WordPress: a post of each, whatever stands there already.

let stage: DeliveryStage
let webhook: string

beforeAll(async () => {
  stage = await startStage({ orphansAfterMs: 500 })
  webhook = await webhookPath(stage.galley)
})

afterAll(() => stage.close())

const connect = (count: number, role: Role = 'editor') =>
  Promise.all(Array.from({ length: count }, async () => (await stage.lane(role)).siteId))

/** Sends one document to each of these sites in the same moment. */
const sendToAll = ({ body }: FaultDocument, siteIds: readonly string[]) =>
  Promise.all(
    siteIds.map((id) =>
      stage.galley.call('POST', webhook, { ...body, delivery: { ...(body.delivery as object), id } }),
    ),
  )

/** What became of it at each site, in their order. */
async function outcomes({ id }: FaultDocument, siteIds: readonly string[]): Promise<DeliveryData[]> {
  const all = () =>
    stage.galley.call<{ data: (DeliveryData & { site_id: string })[] }>(
      'GET',
      `/v1/deliveries?document_id=${id}&limit=100`,
    )
  await expect
    .poll(
      async () =>
        (await all()).body.data.filter(({ status }) => !/queued|waiting|delivering/.test(status)).length,
    )
    .toBe(siteIds.length)
  const { data } = (await all()).body
  return siteIds.map((id) => data.find(({ site_id }) => site_id === id) as DeliveryData)
}

const idsOf = (deliveries: readonly DeliveryData[]) => deliveries.map(({ post }) => post?.id as number)
const sorted = (ids: readonly number[]) => [...ids].sort((a, b) => a - b)

// More than the ten posts that WordPress lists where nothing else is asked for.
test.each<[number, Role]>([
  [11, 'editor'],
  [3, 'author'],
])(
  '%i connections of one WordPress, of one %s, get a post each, and newer versions go to their own',
  async (count, role) => {
    const siteIds = await connect(count, role)
    const document = stage.documents.make('', { picture: false })
    await sendToAll(document, siteIds)
    const first = await outcomes(document, siteIds)
    expect(first.map(({ status, error }) => error?.code ?? status)).toEqual(siteIds.map(() => 'delivered'))
    expect(new Set(idsOf(first)).size).toBe(count)
    await atRest(stage.pool, 60)
    expect(sorted((await postsOf(document)).map(({ id }) => id))).toEqual(sorted(idsOf(first)))

    const newer = stage.documents.make('', { of: document, version: 'second', picture: false })
    await sendToAll(newer, siteIds)
    expect(idsOf(await outcomes(newer, siteIds))).toEqual(idsOf(first))
    for (const id of idsOf(first)) expect(await contentOf(id)).toContain('The second version')
    expect(await postsOf(document)).toHaveLength(count)
  },
)

test('a restored database that forgot its deliveries finds the unfinished post of each connection', async () => {
  const siteIds = await connect(3)
  const document = stage.documents.make('', { picture: false })
  const left: number[] = []
  for (const site_id of siteIds) {
    const slug = await stage.markerOf(site_id, document.id)
    const draft = { title: document.title, slug, status: 'draft' }
    left.push((await rest<RestItem>('editor', 'POST', '/wp/v2/posts', draft)).id)
  }
  await sendToAll(document, siteIds)
  expect(idsOf(await outcomes(document, siteIds))).toEqual(left)
  expect(await postsOf(document)).toHaveLength(3)
})

test('connections that heard nothing of what they made find it again, each its own', async () => {
  const lanes = await Promise.all([1, 2, 3].map(() => stage.lane()))
  for (const { proxy } of lanes) proxy.rule({ method: 'POST', path: '/wp/v2/posts', nth: 1 }, resetAfter)
  const siteIds = lanes.map(({ siteId }) => siteId)
  const document = stage.documents.make('', { picture: false })
  await sendToAll(document, siteIds)
  const all = await outcomes(document, siteIds)
  expect(all.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered'])
  await atRest(stage.pool, 60)
  expect(sorted((await postsOf(document)).map(({ id }) => id))).toEqual(sorted(idsOf(all)))
})

test('a site that is connected again under another id takes over its unfinished post, beside another connection', async () => {
  const lane = await stage.lane()
  const [stays = '', again = ''] = await connect(2)
  const document = stage.documents.make('', { picture: false })
  let begun = 0
  lane.proxy.rule(
    { method: 'POST', path: /posts\/\d+$/ },
    {
      name: 'removed meanwhile',
      async apply({ request, reply }) {
        begun = Number(request.path.split('/').at(-1))
        await stage.galley.call('DELETE', `/v1/sites/${lane.siteId}`)
        reply(pages.badGateway)
      },
    },
  )
  await sendToAll(document, [lane.siteId, stays])
  await expect.poll(() => begun).toBeGreaterThan(0)
  await outcomes(document, [lane.siteId, stays])
  await sendToAll(document, [again])
  const [, kept, taken] = await outcomes(document, [lane.siteId, stays, again])
  expect([kept?.status, taken?.status]).toEqual(['delivered', 'delivered'])
  expect(taken?.post?.id).toBe(begun)
  expect(await postsOf(document)).toHaveLength(2)
})
