import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Exchange, Reply } from '../support/proxy/index.ts'
import { seeded } from '../support/random.ts'
import type { Cluster } from './stage/cluster.ts'
import { type BatchKind, isBatchOf, together } from './stage/cohort.ts'
import type { DocumentMaker, FaultDocument } from './stage/documents.ts'
import { type Gate, makeGate } from './stage/gate.ts'
import type { Lane } from './stage/lane.ts'
import { long, seed } from './stage/options.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { type FaultRun, startRun } from './stage/run.ts'
import { quickTiming } from './stage/timing.ts'

/** Due in one moment; the first of them has a picture. */
const DOCUMENTS = 6
const KINDS: BatchKind[] = ['reserve', 'fill', 'terms']

let run: FaultRun
let cluster: Cluster
let documents: DocumentMaker
let lane: Lane
let gate: Gate
let pictures = 0
const random = seeded(seed)
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  run = await startRun(['all', 'all'], quickTiming, { settings: { concurrency: 4 } })
  ;({ cluster, documents, lane } = run)
  gate = await makeGate(cluster.pool, cluster.connectionString)
})

afterEach(() => {
  lane.proxy.clear()
  for (const child of cluster.children) child.kill('SIGCONT')
})

afterAll(async () => {
  await gate.end()
  await run.close()
}, 600_000)

/** Documents of which each has categories of its own, as well as one that all of this cohort have. */
function newDocuments(): FaultDocument[] {
  const category = `${documents.word} of ${acknowledged.length}`
  const cohort = Array.from({ length: DOCUMENTS }, (_, n) =>
    documents.make(lane.siteId, {
      picture: n === 0,
      categories: [category, `${category} ${n}`, `${category} ${n} too`],
    }),
  )
  pictures += 1
  acknowledged.push(...cohort)
  return cohort
}

const send = (cohort: FaultDocument[]) =>
  together(cluster.pool, lane.siteId, async () => {
    for (const document of cohort) await cluster.acknowledge(document)
  })

/** The place of the process whose site worker is at work. */
async function atWork(): Promise<number> {
  const { rows } = await cluster.pool.query<{ document_id: string }>(
    `SELECT document_id FROM delivery WHERE status = 'delivering' LIMIT 1`,
  )
  const place = rows[0] ? await cluster.holderOf(rows[0].document_id) : -1
  if (place < 0) throw new Error('nobody is at work')
  return place
}

/** Where what each of a cohort needs comes one after the other, and there is a place for each, nothing goes together. */
const MOST_COHORTS = 10

/** Sends cohorts until there is a batch of a kind, and hands the first one over. Resolves when all has come to rest. */
async function atBatch(kind: BatchKind, meet: (exchange: Exchange) => Promise<unknown>): Promise<void> {
  let began = false
  const met = new Promise<void>((resolve, reject) => {
    const apply = (exchange: Exchange) => {
      began = true
      return meet(exchange).then(() => resolve(), reject)
    }
    lane.proxy.rule({ where: isBatchOf(kind), nth: 1 }, { name: 'met', apply })
  })
  for (let sent = 0; sent < MOST_COHORTS && !began; sent += 1) {
    await send(newDocuments())
    await Promise.race([met, atRest(cluster.pool, 120)])
  }
  if (!began) throw new Error(`no batch of ${kind} in ${MOST_COHORTS} cohorts`)
  await Promise.race([
    met,
    wait(90_000, null, { ref: false }).then(async () => {
      throw new Error(`what is done during a batch of ${kind} does not end: ${await howItIs()}`)
    }),
  ])
  lane.proxy.clear()
  await atRest(cluster.pool, 120)
}

/** Where each delivery stands, and what the database waits for: a failure that comes once in a hundred runs has to tell all. */
async function howItIs(): Promise<string> {
  const { rows: deliveries } = await cluster.pool.query(
    `SELECT status, fence, leased_by, due_at, post_id, reserve_intent_at, attempts, error ->> 'code' AS error
     FROM delivery ORDER BY id DESC LIMIT $1`,
    [DOCUMENTS],
  )
  const { rows: sessions } = await cluster.pool.query(
    `SELECT pid, pg_blocking_pids(pid) AS behind, state, wait_event, now() - xact_start AS since, left(query, 80) AS query
     FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'`,
  )
  return JSON.stringify({ deliveries, sessions })
}

async function judged(name: string, counts: Record<string, number>): Promise<void> {
  const verdict = await judge(cluster.pool, documents.word, acknowledged)
  report(name, verdict, counts)
  expect(verdict).toMatchObject({ ...nothingWrong, delivered: acknowledged.length, pictures })
}

/** Until another process has claimed again what one held. */
async function takenOver(fences: number): Promise<void> {
  await expect.poll(sumOfFences, { interval: 50 }).toBeGreaterThan(fences)
}

async function sumOfFences(): Promise<number> {
  const { rows } = await cluster.pool.query('SELECT coalesce(sum(fence), 0)::int AS fences FROM delivery')
  return rows[0].fences
}

/** When WordPress acts on a batch during which its process is killed: never, before, meanwhile, or when all is begun anew. */
const moments = {
  never: () => Promise.resolve(),
  before: async ({ forward }: Exchange, kill: () => Promise<unknown>) => {
    await forward()
    await kill()
  },
  meanwhile: async ({ forward }: Exchange, kill: () => Promise<unknown>) => {
    await Promise.all([forward(), kill()])
  },
  late: async ({ forward }: Exchange, kill: () => Promise<unknown>) => {
    const fences = await sumOfFences()
    await kill()
    await takenOver(fences)
    await forward()
  },
} satisfies Record<string, (exchange: Exchange, kill: () => Promise<unknown>) => Promise<void>>

const everyMoment = KINDS.flatMap((kind) =>
  (Object.keys(moments) as (keyof typeof moments)[]).map((moment) => ({ kind, moment })),
)

test(
  'a process killed before, while and after WordPress acts on a batch leaves one post a document',
  async () => {
    const shuffled = random.shuffle(everyMoment)
    const chosen = long ? shuffled : shuffled.slice(0, 1)
    for (const { kind, moment } of chosen)
      await atBatch(kind, async (exchange) => {
        const place = await atWork()
        let killed = false
        const kill = async () => {
          killed = true
          await cluster.replace(place)
        }
        await moments[moment](exchange, kill)
        if (!killed) await kill()
        exchange.reset()
      })
    await judged('kills during batches', { kills: chosen.length })
  },
  long ? 900_000 : 240_000,
)

test(
  'a process killed at any write of the ledger for several deliveries leaves one post for each',
  async () => {
    let kills = 0
    // The first write, of the plan, belongs to intake. The last one beyond which there is none ends the search.
    const search = long ? Array.from({ length: 12 }, (_, n) => n + 2) : [2 + random.below(3)]
    for (const stored of long ? [true, false] : [random.below(2) === 0])
      for (const nth of search) {
        const cohort = newDocuments()
        const [, victim] = cohort as [FaultDocument, FaultDocument]
        await gate.close(victim.id, nth)
        await send(cohort)
        const backend = await gate.caught(victim.id)
        if (backend === null) {
          await gate.open()
          await atRest(cluster.pool, 120)
          break
        }
        const place = await cluster.holderOf(victim.id)
        cluster.children[place]?.kill('SIGKILL')
        if (stored) await gate.open()
        else await gate.undo(backend)
        await cluster.replace(place)
        kills += 1
        await atRest(cluster.pool, 120)
      }
    await judged('kills at the ledger of several', { kills })
    expect(kills).toBeGreaterThanOrEqual(long ? 6 : 1)
  },
  long ? 900_000 : 240_000,
)

test(
  'a process asked to stop during a batch ends it or gives it back, and no delivery is blamed',
  async () => {
    const shuffled = random.shuffle(KINDS.flatMap((kind) => [true, false].map((first) => ({ kind, first }))))
    const chosen = long ? shuffled : shuffled.slice(0, 1)
    for (const { kind, first } of chosen)
      await atBatch(kind, async ({ forward, reply }) => {
        const place = await atWork()
        const answer: Reply | null = first ? await forward() : null
        const replaced = cluster.replace(place, 'SIGTERM')
        await wait(300)
        reply(answer ?? (await forward()))
        await replaced
      })
    await judged('stops during batches', { stops: chosen.length })
    const { rows } = await cluster.pool.query(
      `SELECT count(*)::int AS blamed FROM delivery WHERE document_id = ANY ($1) AND (attempts > 0 OR cardinality(crashed) > 0)`,
      [acknowledged.map(({ id }) => id)],
    )
    expect(rows).toEqual([{ blamed: 0 }])
  },
  long ? 600_000 : 240_000,
)

test(
  'a process that sleeps past its leases with a batch under way finds itself fenced off when it wakes',
  async () => {
    const shuffled = random.shuffle(KINDS)
    const chosen = long ? shuffled : shuffled.slice(0, 1)
    for (const kind of chosen)
      await atBatch(kind, async ({ forward, reply }) => {
        const place = await atWork()
        const fences = await sumOfFences()
        cluster.children[place]?.kill('SIGSTOP')
        lane.proxy.clear()
        try {
          await takenOver(fences)
          // The one that took over is at work when the batch of the sleeping one reaches WordPress after all.
          await wait(random.below(1_000))
          reply(await forward())
        } finally {
          cluster.children[place]?.kill('SIGCONT')
        }
      })
    await judged('asleep during batches', { stops: chosen.length })
  },
  long ? 600_000 : 240_000,
)
