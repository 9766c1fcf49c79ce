import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../support/random.ts'
import type { Cluster } from './stage/cluster.ts'
import type { DocumentMaker, FaultDocument } from './stage/documents.ts'
import { type Gate, LATER_WRITES, LEDGER_WRITES, makeGate } from './stage/gate.ts'
import type { Lane } from './stage/lane.ts'
import { long, seed } from './stage/options.ts'
import { atRest, backlog, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { REQUESTS } from './stage/requests.ts'
import { type FaultRun, startRun } from './stage/run.ts'
import { quickTiming } from './stage/timing.ts'

/** Documents under way at once in a test under load; enough to keep both processes busy on a site as slow as WASM's. */
const MOST_WAITING = long ? 12 : 4

let run: FaultRun
let cluster: Cluster
let documents: DocumentMaker
let lane: Lane
let gate: Gate
const random = seeded(seed)
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  run = await startRun(['all', 'all'], quickTiming)
  ;({ cluster, documents, lane } = run)
  gate = await makeGate(cluster.pool, cluster.connectionString)
})

afterAll(async () => {
  await gate.end()
  await run.close()
}, 600_000)

const anyStatus = () => ({ post_status: random.below(2) === 0 ? ('draft' as const) : ('publish' as const) })

function newDocument(): FaultDocument {
  const document = documents.make(lane.siteId, anyStatus())
  acknowledged.push(document)
  return document
}

/** Another version of a document that was acknowledged before: the one that its post must say in the end. */
function newVersion(of: FaultDocument): FaultDocument {
  const document = documents.make(lane.siteId, { ...anyStatus(), version: `${random.below(1e9)}th`, of })
  acknowledged[acknowledged.findIndex(({ id }) => id === of.id)] = document
  return document
}

/** A document to come to grief: a new one, or a newer version of one that was delivered in peace. */
async function victim(newer: boolean): Promise<FaultDocument> {
  const document = newDocument()
  if (!newer) return document
  await cluster.acknowledge(document)
  await atRest(cluster.pool, 120)
  return newVersion(document)
}

/**
 * What was under way at three kills in a row is held, as if it had been the cause: a person who knows better retries it.
 *
 * @returns how many
 */
async function retryHeld(): Promise<number> {
  for (let retried = 0; ; ) {
    await atRest(cluster.pool, 180)
    const { rows } = await cluster.pool.query<{ id: string }>(
      `SELECT id FROM delivery WHERE status = 'held' AND error ->> 'code' = 'process_ended'`,
    )
    if (rows.length === 0) return retried
    for (const { id } of rows) await cluster.call('POST', `/v1/deliveries/${id}/retry`)
    retried += rows.length
  }
}

async function judged(name: string, counts: Record<string, number>): Promise<void> {
  const retried = await retryHeld()
  const verdict = await judge(cluster.pool, documents.word, acknowledged)
  report(name, verdict, { ...counts, retried })
  expect(verdict).toMatchObject({
    ...nothingWrong,
    delivered: acknowledged.length,
    pictures: acknowledged.length,
  })
}

/** Sends a document, kills the process that works on it at the nth ledger write, and starts another in its place. */
async function killAtWrite({
  newer,
  nth,
  stored,
}: {
  newer: boolean
  nth: number
  stored: boolean
}): Promise<boolean> {
  const document = await victim(newer)
  // Closed first for any document of this id: the process must not be past the write before the gate is.
  await gate.close(document.id, (await gate.written(document.id)) + nth)
  await cluster.acknowledge(document)
  const backend = await gate.caught(document.id)
  if (backend === null) {
    await gate.open()
    return false
  }
  const place = await cluster.holderOf(document.id)
  cluster.children[place]?.kill('SIGKILL')
  if (stored) await gate.open()
  else await gate.undo(backend)
  await cluster.replace(place)
  return true
}

test(
  'a process killed at any write of the ledger, before it is stored or before it is heard of, leaves one post',
  async () => {
    // The first write, of the plan, belongs to intake; so does the first of a newer version.
    const writes = [false, true].flatMap((newer) =>
      Array.from({ length: (newer ? LATER_WRITES : LEDGER_WRITES) - 1 }, (_, n) => ({ newer, nth: n + 2 })),
    )
    const every = random.shuffle(
      writes.flatMap((write) => [true, false].map((stored) => ({ ...write, stored }))),
    )
    const chosen = long ? every : every.slice(0, 2)
    let kills = 0
    for (const one of chosen) if (await killAtWrite(one)) kills += 1
    await judged('kills at the ledger', { kills })
    expect(kills).toBe(chosen.length)
  },
  long ? 900_000 : 240_000,
)

test(
  'a process killed while a request is under way leaves one post',
  async () => {
    let kills = 0
    const moments = [true, false].flatMap((newer) =>
      REQUESTS[newer ? 'newer' : 'first'].flatMap((request) =>
        [true, false].map((done) => ({ newer, request, done })),
      ),
    )
    const shuffled = random.shuffle(moments)
    for (const { newer, request, done } of long ? shuffled : shuffled.slice(0, 1)) {
      const document = await victim(newer)
      const killed = new Promise<void>((resolve, reject) => {
        lane.proxy.rule(
          { ...request, nth: 1 },
          {
            name: 'killed',
            async apply({ forward, reply }) {
              const answer = done ? await forward() : null
              const place = await cluster.holderOf(document.id)
              cluster.replace(place).then(resolve, reject)
              await wait(50)
              reply(answer ?? (await forward()))
            },
          },
        )
      })
      await cluster.acknowledge(document)
      await killed
      lane.proxy.clear()
      kills += 1
      await atRest(cluster.pool, 120)
    }
    await judged('kills during requests', { kills })
  },
  long ? 900_000 : 240_000,
)

test(
  'processes killed at random moments under load leave one post a document',
  async () => {
    const wanted = long ? Number(process.env.GALLEY_FAULTS_KILLS ?? 200) : 2
    let killing = true
    const load = async () => {
      // Of this sender alone: of two that send versions of one document, nobody could say which came last.
      const sent: FaultDocument[] = []
      const next = () => {
        const earlier = random.below(4) === 0 ? sent[random.below(sent.length)] : undefined
        if (earlier) return newVersion(earlier)
        const document = newDocument()
        sent.push(document)
        return document
      }
      while (killing) {
        // As much as keeps both processes busy, and no more than the site works off in the end.
        if ((await backlog(cluster.pool)) < MOST_WAITING) await cluster.acknowledge(next())
        await wait(random.below(400))
      }
    }
    const senders = Promise.all([load(), load()])
    let kills = 0
    while (kills < wanted) {
      await wait(random.below(1_500))
      await cluster.replace(random.below(2))
      kills += 1
    }
    killing = false
    await senders
    await judged('kills at random under load', { kills })
  },
  long ? 3_000_000 : 240_000,
)
