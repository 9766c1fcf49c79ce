import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RatedWarning } from '../../src/warnings.ts'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'
import {
  answer,
  answerAfter,
  batchAnswer,
  batchInvalid,
  type Fault,
  lateEffect,
  memberAnswers,
  memberError,
  memberLost,
  pages,
  partly,
  resetAfter,
  resetBefore,
  restError,
  sentTwice,
  slow,
  stallAfter,
  stallBefore,
  tooManyFor,
  truncate,
  wrapped,
} from '../support/proxy/index.ts'
import { seeded } from '../support/random.ts'
import { type BatchKind, isBatchOf, pausesOf, together, watchPauses } from './stage/cohort.ts'
import type { FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { long, seed } from './stage/options.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { impatientTiming } from './stage/timing.ts'

const half = (members: number) => Math.ceil(members / 2)
const last = (members: number) => members - 1
const oops = memberError(500, 'internal_server_error', 'There has been a critical error on this website.')
const proxied = memberError(502, 'bad_gateway', 'No.')

/** Every way in which one batch may break: those of any request, and those that only a batch has. */
const faults: Fault[] = [
  resetBefore,
  resetAfter,
  stallBefore,
  stallAfter,
  truncate,
  slow(1_500),
  lateEffect(700),
  sentTwice,
  ...[pages.serverError, pages.badGateway, pages.gatewayTimeout, pages.phpFatal, pages.databaseDown].flatMap(
    (page) => [answer(page), answerAfter(page)],
  ),
  wrapped('notices', '<br />\n<b>Notice</b>: Undefined index: x in /x.php on line <b>3</b>\n'),
  answer(tooManyFor('1')),
  answer(pages.unknownFirewall, '403 HTML of a firewall'),
  answer(pages.wordfenceFirewall, '403 HTML of a firewall plugin'),
  answer(pages.modsecurity),
  answer(pages.tooLarge),
  answer(pages.notFound, '404 HTML'),
  answer(
    restError(404, 'rest_no_route', 'No route was found matching the URL and request method.'),
    'no route',
  ),
  answer(restError(400, 'rest_invalid_param', 'Invalid parameter(s): requests'), 'too many requests for it'),
  answer(pages.blank, '200 and nothing'),
  answerAfter(pages.homePage, '200 and the home page, with effect'),
  batchInvalid,
  ...[resetBefore, stallBefore, answer(pages.phpFatal), answer(pages.gatewayTimeout)].flatMap((then) => [
    partly('the first', () => 1, then),
    partly('half', half, then),
    partly('all but the last', last, then),
  ]),
  memberAnswers('without the last answer', (all) => all.slice(0, -1)),
  memberAnswers('without the first answer', (all) => all.slice(1)),
  memberAnswers('without any answer', () => []),
  memberAnswers('with one answer twice', (all) => [...all.slice(0, 1), ...all]),
  memberAnswers('with an answer too many', (all) => [...all, oops]),
  memberAnswers('in the opposite order', (all) => all.toReversed()),
  memberAnswers('with the first answer last', (all) => [...all.slice(1), ...all.slice(0, 1)]),
  memberAnswers('with the first answer for all', (all) => all.map(() => all[0])),
  memberAnswers('with another’s answer for the last', (all) => [...all.slice(0, -1), all[0]]),
  memberAnswers('with 500 for the first, carried out', (all) => [oops, ...all.slice(1)]),
  memberAnswers('with 500 for all, carried out', (all) => all.map(() => oops)),
  memberAnswers('with 502 for the last, carried out', (all) => [...all.slice(0, -1), proxied]),
  memberAnswers('with nothing for one', (all) => [null, ...all.slice(1)]),
  memberAnswers('with text for all', (all) => all.map(() => 'x')),
  memberAnswers('with an answer without a body', (all) => [{ status: 201, headers: {} }, ...all.slice(1)]),
  memberAnswers('with an empty body', (all) => all.map((one) => ({ ...one, body: {} }))),
  memberAnswers('with HTML for a body', (all) => all.map((one) => ({ ...one, body: '<p>Hello</p>' }))),
  memberAnswers('with a status in words', (all) => all.map((one) => ({ ...one, status: 'created' }))),
  memberAnswers('with the status of no answer', (all) => all.map((one) => ({ ...one, status: 0 }))),
  memberAnswers('without headers', (all) => all.map(({ headers: _, ...one }) => one)),
  batchAnswer('without responses', () => ({})),
  batchAnswer('with responses that are none', () => ({ responses: null })),
  batchAnswer('with responses by name', (all) => ({ responses: { ...all } })),
  batchAnswer('as failed, though carried out', (all) => ({
    failed: 'validation',
    responses: all.map(() => null),
  })),
  batchAnswer('with 200', (responses) => ({ responses }), 200),
  memberLost('the first answered 500, without effect', () => 0, oops),
  memberLost('the last answered 500, without effect', last, oops),
  memberLost('one answered 429, without effect', half, memberError(429, 'too_many_requests', 'Slow down.')),
]

/**
 * After these a pause is right, as after a single request that is so answered: the site asks for one, or says that all is
 * well and means nothing that WordPress would.
 */
const mayPause = ({ name }: Fault) => /429|with an empty body|with HTML for a body/.test(name)

const VERSIONS = ['first', 'second'] as const
const KINDS = { first: ['reserve', 'fill', 'terms'], second: ['fill'] } as const satisfies Record<
  (typeof VERSIONS)[number],
  BatchKind[]
>

const LANES = 3
/** Cases of the bounded form; other ones every time. */
const BOUNDED = 5
/** One of them with a picture. */
const DOCUMENTS = 6

let stage: DeliveryStage
let pictures = 0
const acknowledged: FaultDocument[] = []
/** What the batches that were broken did. What comes later in a delivery need not come together. */
const met: BatchKind[] = []

beforeAll(async () => {
  stage = await startStage(impatientTiming)
  await watchPauses(stage.pool)
})

afterAll(() => stage.close(), 600_000)

/** With terms that are missing on the site, where these are to be made together; without, what comes next is. */
function newDocuments({ siteId }: Lane, kind: BatchKind): FaultDocument[] {
  return Array.from({ length: DOCUMENTS }, (_, n) => {
    const picture = n === 0
    if (picture) pictures += 1
    const category = `${stage.documents.word} of ${siteId.slice(-8)}`
    const categories = kind === 'terms' ? [category, `${category} ${n}`, `${category} ${n} too`] : []
    const document = stage.documents.make(siteId, { picture, categories })
    acknowledged.push(document)
    return document
  })
}

function newVersion({ siteId }: Lane, of: FaultDocument, n: number): FaultDocument {
  const document = stage.documents.make(siteId, { version: 'second', of, picture: n === 0 })
  acknowledged[acknowledged.findIndex(({ id }) => id === of.id)] = document
  return document
}

async function deliver({ siteId }: Lane, all: FaultDocument[]): Promise<void> {
  await together(stage.pool, siteId, async () => {
    for (const document of all) await stage.send(document)
  })
  const moving = async () => {
    const { rows } = await stage.pool.query<{ moves: string }>(
      `SELECT concat_ws(' ', d.status, d.error ->> 'code', s.trouble ->> 'code', 'after', last.step, last.outcome) AS moves
       FROM delivery d JOIN site s ON s.id = d.site_id, LATERAL (
         SELECT step, outcome FROM delivery_step WHERE delivery_id = d.id ORDER BY id DESC LIMIT 1) AS last
       WHERE d.site_id = $1 AND d.status IN ('queued', 'delivering')`,
      [siteId],
    )
    return rows.map(({ moves }) => moves)
  }
  await expect.poll(moving, { interval: 50 }).toEqual([])
}

interface Case {
  version: (typeof VERSIONS)[number]
  kind: BatchKind
  fault: Fault
}

/** What is odd about a case, in words; the oracle looks at its posts in the end. */
async function broken({ version, kind, fault }: Case): Promise<string[]> {
  // The site anew: what is known of how it takes batches belongs to one.
  const lane = await stage.lane('editor', { concurrency: 4 })
  const all = newDocuments(lane, kind)
  if (version === 'second') await deliver(lane, all)
  const done: Promise<void>[] = []
  const watched: Fault = {
    name: fault.name,
    apply: (exchange) => {
      const applied = Promise.resolve(fault.apply(exchange))
      done.push(applied)
      return applied
    },
  }
  // Counted by this rule from now on: of the batches of this kind, the first.
  lane.proxy.rule({ where: isBatchOf(kind), nth: 1 }, watched)
  await deliver(lane, version === 'second' ? all.map((one, n) => newVersion(lane, one, n)) : all)
  await Promise.all(done)
  if (done.length > 0) met.push(kind)
  const { rows } = await stage.pool.query<{ warnings: RatedWarning[]; attempts: number }>(
    'SELECT warnings, attempts FROM delivery WHERE site_id = $1',
    [lane.siteId],
  )
  const odd = [
    ...(mayPause(fault) ? [] : (await pausesOf(stage.pool, lane.siteId)).map((code) => `paused for ${code}`)),
    // A note says that nothing is missing: a request that is carried out late leaves the slug that the next one asks for.
    ...rows.flatMap(({ warnings }) =>
      warnings.flatMap(({ code, severity }) => (severity === 'note' ? [] : [`warns of ${code}`])),
    ),
    ...rows.flatMap(({ attempts }) => (attempts > 0 ? [`${attempts} attempts`] : [])),
  ]
  return odd.map((what) => `${version} ${kind}, ${fault.name}: ${what}`)
}

test(
  'every batch broken in every way leaves one post a document that says its last version, and the site goes on',
  async () => {
    const every = VERSIONS.flatMap((version) =>
      KINDS[version].flatMap((kind) => faults.map((fault) => ({ version, kind, fault }))),
    )
    const shuffled = seeded(seed).shuffle(every)
    const cases = long ? shuffled : shuffled.slice(0, BOUNDED)
    const reserves = cases.filter(({ kind }) => kind === 'reserve').length
    const odd: string[] = []
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (let next = cases.pop(); next !== undefined; next = cases.pop()) odd.push(...(await broken(next)))
      }),
    )
    await atRest(stage.pool, 120)
    const verdict = await judge(stage.pool, stage.documents.word, acknowledged)
    report('batches', verdict, { broken: met.length, of: every.length })
    expect({ ...verdict, odd }).toMatchObject({
      ...nothingWrong,
      delivered: acknowledged.length,
      pictures,
      odd: [],
    })
    expect(met.filter((kind) => kind === 'reserve')).toHaveLength(reserves)
  },
  long ? 1_800_000 : 240_000,
)
