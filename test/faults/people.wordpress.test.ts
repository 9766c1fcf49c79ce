import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'
import type { DeliveryData } from '../support/galley.ts'
import type { Match } from '../support/proxy/index.ts'
import { seeded } from '../support/random.ts'
import { findMedia, type RestItem, removeMedia, rest } from '../support/wordpress/index.ts'
import type { FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { long, seed } from './stage/options.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'

let stage: DeliveryStage
let lane: Lane
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  // People in a test are quicker than any in earnest: whatever they touch, they have had time to.
  stage = await startStage({ untouchedMs: { made: 0, seen: 0 } })
  lane = await stage.lane()
})

afterAll(() => stage.close())

/** What a person does to a post, past Galley. */
const people = {
  'writes in it': (id: number) => rest('administrator', 'POST', `/wp/v2/posts/${id}`, { content: 'Mine.' }),
  'trashes it': (id: number) => rest('administrator', 'DELETE', `/wp/v2/posts/${id}`),
  'deletes it': (id: number) => rest('administrator', 'DELETE', `/wp/v2/posts/${id}?force=true`),
  'gives it another address': (id: number) =>
    rest('administrator', 'POST', `/wp/v2/posts/${id}`, {
      slug: `${stage.documents.word}-of-a-person-${id}`,
    }),
  'takes the address it wants': (_id: number, document: FaultDocument) =>
    rest('administrator', 'POST', '/wp/v2/posts', {
      title: `${stage.documents.word} taken`,
      slug: slugOf(document),
      status: 'draft',
      content: 'x',
    }),
  'deletes its picture': async (id: number) => {
    for (const picture of await picturesOf(id)) await removeMedia(picture.id)
  },
} satisfies Record<string, (postId: number, document: FaultDocument) => Promise<unknown>>

const slugOf = ({ title }: FaultDocument): string => title.replace(' ', '-')
const picturesOf = (postId: number): Promise<RestItem[]> => findMedia(`parent=${postId}`)

type Action = keyof typeof people

/** What must come of an action that is done before the last look at the post. */
const outcomes: Record<Action, string> = {
  'writes in it': 'held post_changed',
  'trashes it': 'held post_trashed',
  'deletes it': 'held post_deleted',
  'gives it another address': 'delivered',
  'takes the address it wants': 'delivered',
  'deletes its picture': 'delivered',
}

/** Requests of a delivery after the reserve. */
const requests = {
  'the next request': { nth: 2 },
  'its upload': { method: 'POST', path: '/wp/v2/media' },
  'the look before its fill': { method: 'GET', path: /^\/wp\/v2\/posts\/\d+$/ },
  'its fill': { method: 'POST', path: /^\/wp\/v2\/posts\/\d+$/ },
  'the look at its picture': { method: 'GET', path: '/wp/v2/media' },
} satisfies Record<string, Match>

type Moment = keyof typeof requests

/** Delivers a document; before WordPress hears of one request of it, a person does something to its post. */
async function deliverWhile(
  action: Action,
  moment: Moment,
): Promise<{ document: FaultDocument; delivery: DeliveryData }> {
  const document = stage.documents.make(lane.siteId)
  acknowledged.push(document)
  lane.proxy.rule(
    { nth: 1, ...requests[moment] },
    {
      name: action,
      async apply({ forward, reply }) {
        const { rows } = await stage.pool.query('SELECT post_id FROM delivery WHERE document_id = $1', [
          document.id,
        ])
        await people[action](rows[0].post_id, document)
        reply(await forward())
      },
    },
  )
  const delivery = await stage.deliver(document)
  lane.proxy.clear()
  return { document, delivery }
}

const outcomeOf = ({ status, error }: DeliveryData): string => [status, error?.code].filter(Boolean).join(' ')

const between: Moment[] = long
  ? ['the next request', 'its upload', 'the look before its fill']
  : ['its upload']

/** One of them in the bounded form, another one every time. */
const actions = seeded(seed).shuffle(Object.keys(people) as Action[])

describe.each(long ? actions : actions.slice(0, 1))(
  'while a document is delivered, a person %s',
  (action) => {
    test.each(between)('before %s, and has the last word', async (moment) => {
      const { document, delivery } = await deliverWhile(action, moment)
      expect(outcomeOf(delivery)).toBe(outcomes[action])
      const id = delivery.post?.id as number
      if (action === 'deletes it') return
      const post = await rest<RestItem>('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)
      if (action === 'writes in it') expect(post.content).toMatchObject({ raw: 'Mine.' })
      if (action === 'trashes it') expect(post.status).toBe('trash')
      if (action === 'gives it another address')
        expect(post.slug).toBe(`${stage.documents.word}-of-a-person-${id}`)
      if (action === 'takes the address it wants') {
        expect(post.slug).toBe(`${slugOf(document)}-2`)
        expect(delivery.warnings.map(({ code }) => code)).toContain('slug_changed')
      }
      if (action === 'deletes its picture') await showsItsPicture(post)
    })
  },
)

/** The one picture of the post stands in the library and is the one that the post shows. */
async function showsItsPicture(post: RestItem): Promise<void> {
  const pictures = await picturesOf(post.id)
  expect(pictures).toHaveLength(1)
  expect((post.content as { raw: string }).raw).toContain(`wp-image-${pictures[0]?.id}"`)
}

test.each<Moment>(['its fill', 'the look at its picture'])(
  'a picture deleted before %s, while its post is filled, is put back',
  async (moment) => {
    const { delivery } = await deliverWhile('deletes its picture', moment)
    expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
    await showsItsPicture(
      await rest('administrator', 'GET', `/wp/v2/posts/${delivery.post?.id}?context=edit`),
    )
  },
)

test('a draft trashed in the moment of its fill stays in the trash', async () => {
  const { delivery } = await deliverWhile('trashes it', 'its fill')
  expect(outcomeOf(delivery)).toBe('held post_trashed')
  const post = await rest<RestItem>('administrator', 'GET', `/wp/v2/posts/${delivery.post?.id}?context=edit`)
  expect(post.status).toBe('trash')
})

test('a post deleted in the moment of its fill is held, and not made again', async () => {
  const { delivery } = await deliverWhile('deletes it', 'its fill')
  expect(outcomeOf(delivery)).toBe('held post_deleted')
})

test('after all of it each document has one post at most', async () => {
  await atRest(stage.pool, 60)
  const verdict = await judge(stage.pool, stage.documents.word, acknowledged)
  report('people', verdict)
  expect(verdict).toMatchObject(nothingWrong)
  expect(verdict.delivered + verdict.held).toBe(acknowledged.length)
})
