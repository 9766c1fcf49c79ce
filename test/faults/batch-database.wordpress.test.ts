import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { seeded } from '../support/random.ts'
import { removeAll } from '../support/wordpress/index.ts'
import { isBatchOf, pausesOf, together, watchPauses } from './stage/cohort.ts'
import { type DocumentMaker, type FaultDocument, startDocuments } from './stage/documents.ts'
import { type Gate, makeGate } from './stage/gate.ts'
import { type Lane, openLane } from './stage/lane.ts'
import { long, seed } from './stage/options.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { quickTiming } from './stage/timing.ts'

const DOCUMENTS = 6
/** Milliseconds. */
const AWAY = 2_500

let database: FreshDatabase
let network: DatabaseProxy
let galley: TestGalley
let pool: Pool
let documents: DocumentMaker
let webhook: string
let lane: Lane
let gate: Gate
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  database = await freshDatabase()
  network = await startDatabaseProxy(database.connectionString)
  galley = await startTestGalley({}, { ...database, connectionString: network.connectionString }, quickTiming)
  pool = new Pool({ connectionString: database.connectionString, max: 4 })
  documents = await startDocuments()
  webhook = await webhookPath(galley)
  await watchPauses(pool)
  lane = await openLane({ call: galley.call, pool }, { settings: { concurrency: 4 } })
  gate = await makeGate(pool, database.connectionString)
})

afterEach(() => {
  network.restore()
  lane.proxy.clear()
})

afterAll(async () => {
  await gate.end()
  await removeAll(documents.word)
  await galley.stop()
  await network.close()
  await lane.proxy.close()
  await documents.close()
  await pool.end()
  await database.drop()
}, 600_000)

function newDocuments(): FaultDocument[] {
  const cohort = Array.from({ length: DOCUMENTS }, () => documents.make(lane.siteId, { picture: false }))
  acknowledged.push(...cohort)
  return cohort
}

const send = (cohort: FaultDocument[]) =>
  together(pool, lane.siteId, async () => {
    for (const { body } of cohort) expect((await galley.call('POST', webhook, body)).status).toBe(202)
  })

async function judged(name: string): Promise<void> {
  await atRest(pool, 60)
  const verdict = await judge(pool, documents.word, acknowledged)
  report(name, verdict)
  expect(verdict).toMatchObject({ ...nothingWrong, delivered: acknowledged.length })
  const { rows } = await pool.query('SELECT sum(attempts)::int AS blamed FROM delivery')
  expect(rows).toEqual([{ blamed: 0 }])
  expect(await pausesOf(pool, lane.siteId)).toEqual([])
}

test.each(['reserve', 'fill'] as const)(
  'a database that is away when a %s of several is answered costs no delivery anything, and makes no post twice',
  async (kind) => {
    const cohort = newDocuments()
    let went = false
    lane.proxy.rule(
      { where: isBatchOf(kind), nth: 1 },
      {
        name: 'the database goes away',
        async apply({ forward, reply }) {
          const answer = await forward()
          network.cut()
          went = true
          reply(answer)
        },
      },
    )
    await send(cohort)
    await expect.poll(() => went).toBe(true)
    await wait(AWAY)
    network.restore()
    await judged(`database away after a ${kind} of several`)
  },
)

test('a write for several that is undone in its middle is made again, whichever it is', async () => {
  let undone = 0
  // The first one, of the plan, belongs to intake. Beyond the last one there is none to catch.
  const from = 2 + (long ? 0 : seeded(seed).below(4))
  for (let nth = from; nth === from || long; nth += 1) {
    const cohort = newDocuments()
    const [, victim] = cohort as [FaultDocument, FaultDocument]
    await gate.close(victim.id, nth)
    await send(cohort)
    const backend = await gate.caught(victim.id)
    if (backend === null) {
      await gate.open()
      break
    }
    await gate.undo(backend)
    undone += 1
    await atRest(pool, 60)
  }
  expect(undone).toBeGreaterThanOrEqual(long ? 3 : 1)
  await judged('writes for several undone')
})
