import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { type ProxiedRequest, slow } from '../support/proxy/index.ts'
import { findMedia, removeMedia } from '../support/wordpress/index.ts'
import { read, SIDE_BY_SIDE, withSortedBeginning } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage
let patient: DeliveryStage
let lane: Lane

/** Longer than any delivery of a test, and shorter than any. */
const ALWAYS = { made: 600_000, seen: 600_000 }
const NEVER = { made: 0, seen: 0 }

beforeAll(async () => {
  stage = await startStage({ untouchedMs: ALWAYS, fillWithinMs: 600_000 })
  lane = await stage.lane()
  patient = await startStage({ untouchedMs: NEVER, fillWithinMs: 600_000 })
})

afterAll(async () => {
  await stage.close()
  await patient.close()
})

afterEach(() => lane.proxy.clear())

/** The requests that a delivery made, without the numbers of posts and files; those for terms aside. */
async function requestsOf(
  document: FaultDocument,
  { proxy }: Lane = lane,
  galley: DeliveryStage = stage,
): Promise<string[]> {
  const from = proxy.requests.length
  expect(await galley.deliver(document)).toMatchObject({ status: 'delivered', warnings: [] })
  return proxy.requests
    .slice(from)
    .map(({ method, path }) => `${method} ${path.replace(/\d+$/, 'N')}`)
    .filter((request) => !/\/(categories|tags|types)$/.test(request))
}

/** Without its picture. */
function plain(document: FaultDocument): FaultDocument {
  const { data } = document.body as unknown as { data: { content: { content: { type: string }[] } } }
  data.content.content = data.content.content.filter(({ type }) => type !== 'image')
  return document
}

test('a document takes three requests besides its terms, and one for its picture', async () => {
  // Addresses of the site, which are remembered.
  await stage.deliver(plain(stage.documents.make(lane.siteId)))
  expect(withSortedBeginning(await requestsOf(plain(stage.documents.make(lane.siteId))))).toEqual([
    ...SIDE_BY_SIDE,
    'POST /wp/v2/posts/N',
  ])
  expect(withSortedBeginning(await requestsOf(stage.documents.make(lane.siteId)))).toEqual([
    ...SIDE_BY_SIDE,
    'POST /wp/v2/media',
    'POST /wp/v2/posts/N',
  ])
})

test('a newer version looks once at the post before it writes, and at a picture that was there before and after', async () => {
  const first = stage.documents.make(lane.siteId)
  await stage.deliver(first)
  const newer = stage.documents.make(lane.siteId, { version: 'second', of: first })
  expect(await requestsOf(newer)).toEqual([
    'GET /wp/v2/posts/N',
    'GET /wp/v2/media/N',
    'POST /wp/v2/posts/N',
    'GET /wp/v2/media',
  ])
})

test('a post and a picture that were made a while ago are looked at before and after the fill', async () => {
  const other = await patient.lane()
  await patient.deliver(plain(patient.documents.make(other.siteId)))
  const requests = await requestsOf(patient.documents.make(other.siteId), other, patient)
  expect(withSortedBeginning(requests)).toEqual([
    ...SIDE_BY_SIDE,
    'POST /wp/v2/media',
    'GET /wp/v2/posts/N',
    'POST /wp/v2/posts/N',
    'GET /wp/v2/media',
  ])
})

test('a post that an earlier attempt has made is looked at before it is filled', async () => {
  const document = plain(stage.documents.make(lane.siteId))
  lane.proxy.rule({ method: 'POST', path: '/wp/v2/posts', nth: 1 }, slow(10_000))
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  const asked = lane.proxy.requests.filter(({ path }) => path === `/wp/v2/posts/${post?.id}`)
  expect(asked.map(({ method }) => method)).toEqual(['GET', 'POST'])
})

test('a picture deleted right before its post is filled is put back where WordPress drops it as the featured one', async () => {
  const document = stage.documents.make(lane.siteId)
  const data = document.body.data as { content: { content: { type: string; url?: string }[] } }
  const url = data.content.content.find(({ type }) => type === 'image')?.url
  Object.assign(data, { featured_image: { url, alt: document.alt } })
  lane.proxy.rule(
    { method: 'POST', path: /^\/wp\/v2\/posts\/\d+$/, nth: 1 },
    {
      name: 'deleted first',
      async apply({ forward, reply }) {
        for (const { id } of await findMedia(`search=${stage.documents.word}`)) await removeMedia(id)
        reply(await forward())
      },
    },
  )
  const { status, post, warnings } = await stage.deliver(document)
  expect({ status, warnings }).toEqual({ status: 'delivered', warnings: [] })
  const [picture] = await findMedia(`parent=${post?.id}`)
  expect(await read(post?.id)).toMatchObject({ featured_media: picture?.id })
})

test('no request can be answered by a cache: each has an address of its own, and asks caches to stay out', async () => {
  const asked: ProxiedRequest[] = []
  // One that has nothing to remember yet.
  const { siteId, proxy } = await stage.lane()
  proxy.rule(
    {},
    {
      name: 'written down',
      async apply({ request, forward, reply }) {
        asked.push(request)
        reply(await forward())
      },
    },
  )
  const first = stage.documents.make(siteId)
  const newer = stage.documents.make(siteId, { version: 'second', of: first })
  for (const document of [first, newer])
    expect(await stage.deliver(document)).toMatchObject({ status: 'delivered' })
  expect(asked.length).toBeGreaterThan(6)
  expect(new Set(asked.map(({ url }) => url)).size).toBe(asked.length)
  expect(new Set(asked.map(({ headers }) => headers['cache-control']))).toEqual(
    new Set(['no-cache, no-store']),
  )
})
