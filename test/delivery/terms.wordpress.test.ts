import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { type RestItem, removeTerm, rest } from '../support/wordpress/index.ts'
import { read, SIDE_BY_SIDE, withMore, withSortedBeginning } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

type Taxonomy = 'categories' | 'tags'

let stage: DeliveryStage
let lane: Lane
/** Names that nothing else on the site has. */
let category: string
let tag: string

beforeAll(async () => {
  // However slow the machine is.
  stage = await startStage({ untouchedMs: { made: 600_000, seen: 600_000 } })
  lane = await stage.lane()
})

afterAll(() => stage.close())

beforeEach(() => {
  const word = randomUUID().slice(0, 8)
  category = `Boats ${word}`
  tag = `Tides ${word}`
  return async () => {
    for (const taxonomy of ['categories', 'tags'] as const)
      for (const { id } of await called(taxonomy, word)) await removeTerm(taxonomy, id)
  }
})

const called = (taxonomy: Taxonomy, search: string): Promise<RestItem[]> =>
  rest('administrator', 'GET', `/wp/v2/${taxonomy}?search=${encodeURIComponent(search)}`)

/** A document without a picture that wants the two terms. */
function document(): FaultDocument {
  const made = stage.documents.make(lane.siteId)
  const { data } = made.body as unknown as { data: { content: { content: { type: string }[] } } }
  data.content.content = data.content.content.filter(({ type }) => type !== 'image')
  return withMore(made, {}, { categories: [category], tags: [tag] })
}

/** Delivers a document, and says what that asked of the site. */
async function deliver(): Promise<{ id: number | undefined; asked: string[] }> {
  const from = lane.proxy.requests.length
  const { status, warnings, post } = await stage.deliver(document())
  expect({ status, warnings }).toEqual({ status: 'delivered', warnings: [] })
  const asked = lane.proxy.requests.slice(from).map(({ method, path }) => `${method} ${path}`)
  return { id: post?.id, asked: asked.map((request) => request.replace(/\d+$/, 'N')) }
}

/** The terms of these names, as the site has them now. */
async function ids(): Promise<{ categories: number[]; tags: number[] }> {
  const [categories, tags] = [await called('categories', category), await called('tags', tag)]
  return { categories: categories.map(({ id }) => id), tags: tags.map(({ id }) => id) }
}

test('terms that a site had a moment ago are not looked for again: a document takes three requests', async () => {
  await deliver()
  const { id, asked } = await deliver()
  expect(withSortedBeginning(asked)).toEqual([...SIDE_BY_SIDE, 'POST /wp/v2/posts/N'])
  expect(await read(id)).toMatchObject(await ids())
})

test('terms that were deleted since the last document are made again, and the post gets them', async () => {
  await deliver()
  const before = await ids()
  await removeTerm('categories', before.categories[0] as number)
  await removeTerm('tags', before.tags[0] as number)
  const { id } = await deliver()
  const now = await ids()
  expect(now.categories).toHaveLength(1)
  expect(now).not.toEqual(before)
  expect(await read(id)).toMatchObject(now)
  const { asked } = await deliver()
  expect(withSortedBeginning(asked)).toEqual([...SIDE_BY_SIDE, 'POST /wp/v2/posts/N'])
})

test('a term that was renamed since the last document takes the next one too, and nothing is made', async () => {
  await deliver()
  const { tags } = await ids()
  await rest('administrator', 'POST', `/wp/v2/tags/${tags[0]}`, { name: `${tag} and currents` })
  const { id } = await deliver()
  expect(await read(id)).toMatchObject({ tags })
  expect(await called('tags', tag)).toHaveLength(1)
})

test('documents that want the same missing terms in the same moment make each once', async () => {
  const documents = [document(), document(), document()]
  const delivered = await Promise.all(documents.map((one) => stage.deliver(one)))
  const now = await ids()
  expect(now).toEqual({ categories: [expect.any(Number)], tags: [expect.any(Number)] })
  for (const { post } of delivered) expect(await read(post?.id)).toMatchObject(now)
})
