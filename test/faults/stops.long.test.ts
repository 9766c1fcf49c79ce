import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Exchange } from '../support/proxy/index.ts'
import { seeded } from '../support/random.ts'
import { removeAll } from '../support/wordpress/index.ts'
import { type Cluster, startCluster } from './stage/cluster.ts'
import { type DocumentMaker, type FaultDocument, startDocuments } from './stage/documents.ts'
import { type Gate, LEDGER_WRITES, makeGate } from './stage/gate.ts'
import { type Lane, openLane } from './stage/lane.ts'
import { seed } from './stage/options.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { REQUESTS } from './stage/requests.ts'
import { quickTiming } from './stage/timing.ts'

let cluster: Cluster
let documents: DocumentMaker
let lane: Lane
let gate: Gate
const random = seeded(seed)
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  cluster = await startCluster(['all', 'all'], quickTiming)
  documents = await startDocuments()
  lane = await openLane(cluster)
  gate = await makeGate(cluster.pool, cluster.connectionString)
})

// One that a failed test left asleep would fail the next.
afterEach(() => {
  for (const child of cluster.children) child.kill('SIGCONT')
})

afterAll(async () => {
  await gate.end()
  await removeAll(documents.word)
  await cluster.stop()
  await lane.proxy.close()
  await documents.close()
})

function newDocument(): FaultDocument {
  const document = documents.make(lane.siteId)
  acknowledged.push(document)
  return document
}

/** A document to sleep over: a new one, or a newer version of one that was delivered awake. */
async function sleptOver(newer: boolean): Promise<FaultDocument> {
  const of = newDocument()
  if (!newer) return of
  await cluster.acknowledge(of)
  await atRest(cluster.pool, 120)
  const document = documents.make(lane.siteId, { version: 'second', of })
  acknowledged.splice(acknowledged.indexOf(of), 1, document)
  return document
}

async function fenceOf(document: FaultDocument): Promise<number> {
  const { rows } = await cluster.pool.query('SELECT fence FROM delivery WHERE document_id = $1', [
    document.id,
  ])
  return rows[0].fence
}

/** Until another process has claimed what the sleeping one held. */
const takenOver = (document: FaultDocument, fence: number) =>
  expect.poll(() => fenceOf(document), { interval: 50 }).toBeGreaterThan(fence)

async function judged(name: string, counts: Record<string, number>): Promise<void> {
  await atRest(cluster.pool, 120)
  const verdict = await judge(cluster.pool, documents.word, acknowledged)
  report(name, verdict, counts)
  expect(verdict).toMatchObject({
    ...nothingWrong,
    delivered: acknowledged.length,
    pictures: acknowledged.length,
  })
}

test('a process that sleeps past its lease with a request under way finds itself fenced off when it wakes', async () => {
  let stops = 0
  const moments = [false, true].flatMap((newer) =>
    REQUESTS[newer ? 'newer' : 'first'].map((request) => ({ newer, request })),
  )
  for (const { newer, request } of moments) {
    const document = await sleptOver(newer)
    const asleep = async ({ forward, reply }: Exchange) => {
      const place = await cluster.holderOf(document.id)
      expect(place).toBeGreaterThanOrEqual(0)
      const fence = await fenceOf(document)
      cluster.children[place]?.kill('SIGSTOP')
      lane.proxy.clear()
      try {
        await takenOver(document, fence)
        // The one that took over is at work when the request of the sleeping one reaches WordPress after all.
        await wait(random.below(1_500))
        reply(await forward())
      } finally {
        cluster.children[place]?.kill('SIGCONT')
      }
    }
    // Not before it wakes: the next one would sleep beside it, and nobody be left to take over.
    const woken = new Promise<void>((resolve, reject) => {
      const apply = (exchange: Exchange) => asleep(exchange).then(resolve, reject)
      lane.proxy.rule({ ...request, nth: 1 }, { name: 'asleep', apply })
    })
    await cluster.acknowledge(document)
    await woken
    stops += 1
    await atRest(cluster.pool, 120)
  }
  await judged('asleep during requests', { stops })
}, 900_000)

test('a process that sleeps between two writes of the ledger sends nothing more for a claim it has lost', async () => {
  let stops = 0
  // All but the first, which is intake's, and the last: behind that one nothing is left to take over.
  for (let nth = 2; nth < LEDGER_WRITES; nth += 1) {
    const document = newDocument()
    await gate.close(document.id, nth)
    await cluster.acknowledge(document)
    expect(await gate.caught(document.id)).not.toBeNull()
    const place = await cluster.holderOf(document.id)
    expect(place).toBeGreaterThanOrEqual(0)
    const fence = await fenceOf(document)
    cluster.children[place]?.kill('SIGSTOP')
    await gate.open()
    await takenOver(document, fence)
    await wait(random.below(1_500))
    cluster.children[place]?.kill('SIGCONT')
    stops += 1
    await atRest(cluster.pool, 120)
  }
  await judged('asleep between writes', { stops })
}, 900_000)

test('a hundred copies of one webhook at once, and more when they come again after restarts, make one post', async () => {
  const document = newDocument()
  const copies = 100
  const answers = await Promise.all(Array.from({ length: copies }, () => cluster.acknowledge(document)))
  expect(answers.filter((status) => status === 202)).toHaveLength(1)
  await atRest(cluster.pool, 120)
  for (const minutes of [5, 15, 30]) {
    for (const place of cluster.children.keys()) await cluster.replace(place, 'SIGTERM')
    // The clock under control: what is stored becomes so much older.
    await cluster.pool.query(`UPDATE event SET received_at = received_at - make_interval(mins => $1)`, [
      minutes,
    ])
    await cluster.pool.query(
      `UPDATE delivery SET created_at = created_at - make_interval(mins => $1), updated_at = updated_at - make_interval(mins => $1)`,
      [minutes],
    )
    expect(await cluster.acknowledge(document)).toBe(200)
  }
  await judged('copies', { copies: copies + 3 })
})
