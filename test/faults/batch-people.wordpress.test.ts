import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import { membersOf, type ProxiedRequest } from '../support/proxy/index.ts'
import { type RestItem, rest } from '../support/wordpress/index.ts'
import { type BatchKind, isBatchOf, together } from './stage/cohort.ts'
import type { FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'

const DOCUMENTS = 5

let stage: DeliveryStage
let lane: Lane
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  stage = await startStage()
  lane = await stage.lane('editor', { concurrency: 4 })
})

afterEach(() => lane.proxy.clear())
afterAll(() => stage.close(), 600_000)

function newDocuments(): FaultDocument[] {
  const cohort = Array.from({ length: DOCUMENTS }, () =>
    stage.documents.make(lane.siteId, { picture: false }),
  )
  acknowledged.push(...cohort)
  return cohort
}

function newVersion(of: FaultDocument, version: string): FaultDocument {
  const document = stage.documents.make(lane.siteId, { version, of, picture: false })
  acknowledged[acknowledged.findIndex(({ id }) => id === of.id)] = document
  return document
}

/** Before WordPress hears of the first batch of a kind, this happens. @returns whether it did */
function before(kind: BatchKind, happens: (request: ProxiedRequest) => Promise<unknown>): () => boolean {
  let happened = false
  lane.proxy.rule(
    { where: isBatchOf(kind), nth: 1 },
    {
      name: `before a batch of ${kind}`,
      async apply({ request, forward, reply }) {
        await happens(request)
        happened = true
        reply(await forward())
      },
    },
  )
  return () => happened
}

const send = (cohort: FaultDocument[]) =>
  together(stage.pool, lane.siteId, async () => {
    for (const document of cohort) await stage.send(document)
  })

const outcomeOf = ({ status, error }: DeliveryData): string => [status, error?.code].filter(Boolean).join(' ')

const outcomesOf = async (cohort: FaultDocument[]): Promise<Map<string, DeliveryData>> =>
  new Map(await Promise.all(cohort.map(async ({ id }) => [id, await settled(stage.galley, id)] as const)))

const read = (id: number): Promise<RestItem> =>
  rest('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)

const slugOf = ({ title }: FaultDocument): string => title.replace(' ', '-')

/** What a person does to one post of a batch that fills several, and what must come of it. */
const actions = {
  'trashes it': {
    do: (id: number) => rest('administrator', 'DELETE', `/wp/v2/posts/${id}`),
    outcome: 'held post_trashed',
    stays: async (id: number) => expect((await read(id)).status).toBe('trash'),
  },
  'deletes it': {
    do: (id: number) => rest('administrator', 'DELETE', `/wp/v2/posts/${id}?force=true`),
    outcome: 'held post_deleted',
    stays: (id: number) => expect(read(id)).rejects.toThrow(),
  },
  'takes the address it wants': {
    do: (_: number, document: FaultDocument) =>
      rest('administrator', 'POST', '/wp/v2/posts', {
        title: `${stage.documents.word} taken`,
        slug: slugOf(document),
        status: 'draft',
        content: 'x',
      }),
    outcome: 'delivered',
    stays: async (id: number, document: FaultDocument) =>
      expect((await read(id)).slug).toBe(`${slugOf(document)}-2`),
  },
} satisfies Record<
  string,
  {
    do: (id: number, document: FaultDocument) => Promise<unknown>
    outcome: string
    stays: (id: number, document: FaultDocument) => Promise<unknown>
  }
>

describe.each(Object.entries(actions))('between reserve and a fill of several, a person %s', (_, action) => {
  test('and has the last word, while the others are filled', async () => {
    const cohort = newDocuments()
    let victim = 0
    before('fill', async (request) => {
      const [first] = membersOf(request)?.map(({ path }) => Number(/posts\/(\d+)/.exec(path)?.[1])) ?? []
      victim = first ?? 0
      await action.do(victim, await documentOf(victim))
    })
    await send(cohort)
    const outcomes = await outcomesOf(cohort)
    const document = await documentOf(victim)
    for (const one of cohort)
      expect(outcomeOf(outcomes.get(one.id) as DeliveryData)).toBe(
        one.id === document.id ? action.outcome : 'delivered',
      )
    await action.stays(victim, document)
  })
})

async function documentOf(postId: number): Promise<FaultDocument> {
  const { rows } = await stage.pool.query('SELECT document_id FROM delivery WHERE post_id = $1', [postId])
  const found = acknowledged.find(({ id }) => id === rows[0]?.document_id)
  if (found === undefined) throw new Error(`post ${postId} is nobody's`)
  return found
}

test('a post that a person gave the marker of one of several stays as it is, and the others are made', async () => {
  const cohort = newDocuments()
  let taken: { slug: string; post: RestItem } | undefined
  const happened = before('reserve', async (request) => {
    const slug = String(membersOf(request)?.[0]?.body?.slug)
    const fields = { title: `${stage.documents.word} mine`, slug, status: 'draft', content: 'Mine.' }
    taken = { slug, post: await rest('administrator', 'POST', '/wp/v2/posts', fields) }
  })
  await send(cohort)
  const outcomes = await outcomesOf(cohort)
  expect(happened()).toBe(true)
  for (const { id } of cohort)
    expect(outcomeOf(outcomes.get(id) as DeliveryData)).toBe(
      (await stage.markerOf(lane.siteId, id)) === taken?.slug ? 'held post_changed' : 'delivered',
    )
  expect((await read(taken?.post.id as number)).content).toMatchObject({ raw: 'Mine.' })
})

test.each(['reserve', 'fill'] as const)(
  'a newer version of each that comes during a %s of several is what the posts say in the end',
  async (kind) => {
    const cohort = newDocuments()
    const happened = before(kind, async () => {
      for (const document of cohort) await stage.send(newVersion(document, 'second'))
      await stage.send(newVersion(cohort[0] as FaultDocument, 'third'))
    })
    await send(cohort)
    await atRest(stage.pool, 60)
    expect(happened()).toBe(true)
  },
)

test('two versions of each that are due in one moment are one post, which says the second', async () => {
  const cohort = newDocuments()
  await together(stage.pool, lane.siteId, async () => {
    for (const document of cohort) await stage.send(document)
    for (const document of cohort) await stage.send(newVersion(document, 'second'))
  })
  await outcomesOf(cohort)
})

test('after all of it each document has one post at most, with its last version', async () => {
  await atRest(stage.pool, 60)
  const verdict = await judge(stage.pool, stage.documents.word, acknowledged)
  report('people beside batches', verdict)
  expect(verdict).toMatchObject({ ...nothingWrong, held: 3, delivered: acknowledged.length - 3 })
})
