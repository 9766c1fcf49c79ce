import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'
import {
  answer,
  answerAfter,
  type Fault,
  pages,
  resetAfter,
  resetBefore,
  slow,
  stallAfter,
  stallBefore,
  tooManyFor,
  truncate,
  wrapped,
} from '../support/proxy/index.ts'
import { seeded } from '../support/random.ts'
import type { FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { long, seed } from './stage/options.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { impatientTiming } from './stage/timing.ts'

/** Every way in which one request of a delivery may break. */
const faults: Record<string, Fault | 'refused'> = {
  refused: 'refused',
  'reset before sending': resetBefore,
  'reset after WordPress committed': resetAfter,
  'stalled, without effect': stallBefore,
  'stalled, with effect': stallAfter,
  truncated: truncate,
  slow: slow(1_500),
  '500 without effect': answer(pages.serverError),
  '500 with effect': answerAfter(pages.serverError),
  '502 HTML without effect': answer(pages.badGateway),
  '502 HTML with effect': answerAfter(pages.badGateway),
  'notices before the JSON': wrapped(
    'notices',
    '<br />\n<b>Notice</b>: Undefined index: x in /x.php on line <b>3</b>\n',
  ),
  '429': answer(tooManyFor('1')),
}

const LANES = 4
/** Cases of the bounded form; other ones every time. */
const BOUNDED = 12

/** Fields that are members of the fill, and one that the site is asked about first. */
const fields = {
  ...{ comments: 'closed', pings: 'closed', format: 'aside', sticky: true },
  ...{ author: 'editor', publish_at: '2024-01-31T09:30:00Z', reference: 'faults' },
}

let stage: DeliveryStage
const lanes: Lane[] = []

beforeAll(async () => {
  stage = await startStage(impatientTiming)
  for (let n = 0; n < (long ? LANES : 2); n++) lanes.push(await stage.lane())
})

afterAll(() => stage.close())

/** Until the delivery is delivered, held or failed; the lane is then free for the next case. */
async function settled({ id }: FaultDocument): Promise<void> {
  await expect
    .poll(
      async () =>
        (await stage.pool.query('SELECT status FROM delivery WHERE document_id = $1', [id])).rows[0]?.status,
      { interval: 100 },
    )
    .toMatch(/delivered|held|failed/)
}

/** Breaks the `nth` request of a delivery. A refused one is refused because the server went away after the one before. */
async function arrange({ proxy }: Lane, nth: number, fault: Fault | 'refused'): Promise<void> {
  if (fault !== 'refused') return proxy.rule({ nth }, fault)
  const away = async () => {
    await proxy.pause()
    await wait(600)
    await proxy.resume()
  }
  if (nth === 1) void away()
  else
    proxy.rule(
      { nth: nth - 1 },
      {
        name: 'gone afterwards',
        async apply({ forward, reply }) {
          reply(await forward())
          setTimeout(away, 20)
        },
      },
    )
}

/** Delivers a document while nothing breaks. @returns how many requests that took */
async function calm(lane: Lane, document: FaultDocument): Promise<number> {
  const before = lane.proxy.requests.length
  await stage.send(document)
  await settled(document)
  return lane.proxy.requests.length - before
}

const newer = (lane: Lane, of: FaultDocument, post_status?: 'draft' | 'publish') =>
  stage.documents.make(lane.siteId, { version: 'second', of, fields, ...(post_status && { post_status }) })

test(
  'every request of a delivery and of a newer version’s, broken in every way, leaves one post that says the last',
  async () => {
    const [first] = lanes as [Lane]
    const document = stage.documents.make(first.siteId, { fields })
    const requests = { first: await calm(first, document), second: await calm(first, newer(first, document)) }
    const acknowledged = [newer(first, document)]
    const all = (['first', 'second'] as const).flatMap((version) =>
      Array.from({ length: requests[version] }, (_, n) => n + 1).flatMap((nth) =>
        Object.values(faults).map((fault) => ({ version, nth, fault })),
      ),
    )
    const shuffled = seeded(seed).shuffle(all)
    const cases = long ? shuffled : shuffled.slice(0, BOUNDED)
    let broken = 0
    await Promise.all(
      lanes.map(async (lane) => {
        for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
          const { version, nth, fault } = next
          const post_status = broken % 2 === 0 ? 'draft' : 'publish'
          broken += 1
          const one = stage.documents.make(lane.siteId, { post_status, fields })
          if (version === 'second') await calm(lane, one)
          const last = version === 'second' ? newer(lane, one, post_status) : one
          await arrange(lane, nth, fault)
          await stage.send(last)
          acknowledged.push(last)
          await settled(last)
          lane.proxy.clear()
        }
      }),
    )
    await atRest(stage.pool, 120)
    const verdict = await judge(stage.pool, stage.documents.word, acknowledged)
    report('requests', verdict, { ...requests, faults: broken, of: all.length })
    expect(verdict).toMatchObject({
      ...nothingWrong,
      delivered: acknowledged.length,
      pictures: acknowledged.length,
    })
  },
  long ? 1_800_000 : 240_000,
)
