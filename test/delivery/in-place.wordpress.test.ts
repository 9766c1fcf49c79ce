import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { atRest } from '../faults/stage/oracle.ts'
import { answer, answerAfter, type Fault, pages, resetAfter, resetBefore } from '../support/proxy/index.ts'
import { findMedia } from '../support/wordpress/index.ts'
import { postsOf } from './plugin-lane.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  const timing = { orphansAfterMs: 100, untouchedMs: { made: 600_000, seen: 600_000 }, fillWithinMs: 600_000 }
  stage = await startStage(timing)
  lane = await stage.lane()
  // A site that has answered nothing well gives no hope that a failure passes.
  expect(await stage.deliver(stage.documents.make(lane.siteId))).toMatchObject({ status: 'delivered' })
})

afterEach(() => lane.proxy.clear())

afterAll(() => stage.close())

const reserve = { method: 'POST', path: '/wp/v2/posts' }
const upload = { method: 'POST', path: '/wp/v2/media' }
const fill = { method: 'POST', path: /^\/wp\/v2\/posts\/\d+$/ }

/** Delivers a document while one request of it fails once. */
async function deliverThrough(request: typeof reserve | typeof fill, fault: Fault) {
  lane.proxy.rule({ ...request, nth: 1 }, fault)
  const document = stage.documents.make(lane.siteId)
  const from = lane.proxy.requests.length
  const { status, warnings, timeline } = await stage.deliver(document)
  expect({ status, warnings }).toEqual({ status: 'delivered', warnings: [] })
  // Within the one attempt.
  expect(timeline.map(({ outcome }) => outcome)).not.toContain('will_retry')
  await expectOne(document)
  return {
    asked: lane.proxy.requests
      .slice(from)
      .map(({ method, path }) => `${method} ${path.replace(/\d+$/, 'N')}`),
    outcomes: timeline.map(({ step, outcome }) => `${step} ${outcome}`),
  }
}

/** One post and one picture of it on the site, also after what was doubtful has been looked for. */
async function expectOne({ title, alt }: FaultDocument): Promise<void> {
  await atRest(stage.pool, 30)
  expect(await postsOf({ title })).toHaveLength(1)
  const pictures = await findMedia(`search=${encodeURIComponent(alt)}`)
  expect(pictures.filter(({ alt_text }) => alt_text === alt)).toHaveLength(1)
}

const unanswered: [string, Fault][] = [
  ['resets the connection', resetAfter],
  ['answers 500', answerAfter(pages.serverError)],
]

test.each(unanswered)(
  'a reserve that the site carries out and %s is found by its marker',
  async (_, fault) => {
    const { asked, outcomes } = await deliverThrough(reserve, fault)
    expect(asked.filter((request) => request === 'POST /wp/v2/posts')).toHaveLength(1)
    expect(outcomes).toContain('reserve adopted')
  },
)

test('an upload that the site carries out and answers 502 is found by its marker', async () => {
  const { asked, outcomes } = await deliverThrough(upload, answerAfter(pages.badGateway))
  expect(asked.filter((request) => request === 'POST /wp/v2/media')).toHaveLength(1)
  expect(outcomes).toContain('media adopted')
})

test('a reserve to which the site answers 502 without effect is made again', async () => {
  const { asked, outcomes } = await deliverThrough(reserve, answer(pages.badGateway))
  expect(asked.filter((request) => request === 'POST /wp/v2/posts')).toHaveLength(2)
  expect(outcomes).toContain('reserve created')
})

test('an upload to which the site resets the connection without effect is made again', async () => {
  const { asked, outcomes } = await deliverThrough(upload, resetBefore)
  expect(asked.filter((request) => request === 'POST /wp/v2/media')).toHaveLength(2)
  expect(outcomes).toContain('media uploaded')
})

test.each<[string, Fault]>([
  ['resets the connection, and carries it out', resetAfter],
  ['answers 502 without effect', answer(pages.badGateway)],
])('a fill to which the site %s is made again', async (_, fault) => {
  const { asked } = await deliverThrough(fill, fault)
  expect(asked.filter((request) => request === 'POST /wp/v2/posts/N')).toHaveLength(2)
})
