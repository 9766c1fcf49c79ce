import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { removeAll } from '../support/wordpress/index.ts'
import { type DocumentMaker, type FaultDocument, startDocuments } from './stage/documents.ts'
import { type Lane, openLane } from './stage/lane.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { quickTiming } from './stage/timing.ts'

/** Milliseconds in which a sender must have its answer (docs/contract.md). */
const PATIENCE_MS = 5_000
/** Longer than any connection to the database is waited for. */
const SILENCE_MS = 45_000
/** Milliseconds after the end of the silence in which webhooks are taken again, and all that waited moves. */
const RECOVERED_MS = 60_000

let database: FreshDatabase
let network: DatabaseProxy
let galley: TestGalley
let pool: Pool
let documents: DocumentMaker
let lane: Lane
let webhook: string
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  database = await freshDatabase()
  network = await startDatabaseProxy(database.connectionString)
  galley = await startTestGalley({}, { ...database, connectionString: network.connectionString }, quickTiming)
  pool = new Pool({ connectionString: database.connectionString, max: 4 })
  documents = await startDocuments()
  webhook = await webhookPath(galley)
  lane = await openLane({ call: galley.call, pool })
})

afterAll(async () => {
  await removeAll(documents.word)
  await galley.stop()
  await network.close()
  await lane.proxy.close()
  await documents.close()
  await pool.end()
  await database.drop()
})

/** Sends a new webhook. @returns its status; 202 alone counts as acknowledged */
async function send(): Promise<number> {
  const document = documents.make(lane.siteId)
  const { status } = await galley.call('POST', webhook, document.body)
  if (status === 202) acknowledged.push(document)
  return status
}

test('a database that takes connections and answers nothing: 503 in time, no promise, and all recovers by itself', async () => {
  for (let n = 0; n < 3; n++) expect(await send()).toBe(202)
  const promised = acknowledged.length
  network.swallow()
  const until = Date.now() + SILENCE_MS
  let slowestMs = 0
  const refused: number[] = []
  const sender = async () => {
    while (Date.now() < until) {
      const began = performance.now()
      refused.push(await send())
      slowestMs = Math.max(slowestMs, performance.now() - began)
      await wait(50)
    }
  }
  const [asked] = await Promise.all([galley.call('GET', '/v1/sites'), ...Array.from({ length: 5 }, sender)])
  expect(asked).toMatchObject({ status: 503, body: { error: { code: 'DATABASE_UNAVAILABLE' } } })
  expect(new Set(refused)).toEqual(new Set([503]))
  expect(slowestMs).toBeLessThan(PATIENCE_MS)
  expect(acknowledged).toHaveLength(promised)

  network.restore()
  const began = Date.now()
  await expect.poll(send, { timeout: RECOVERED_MS, interval: 200 }).toBe(202)
  const takenAgainS = (Date.now() - began) / 1000
  await atRest(pool, 120)
  const verdict = await judge(pool, documents.word, acknowledged)
  report('a silent database', verdict, { refused: refused.length, 'taken again after, s': takenAgainS })
  expect(verdict).toMatchObject({ ...nothingWrong, delivered: acknowledged.length })
}, 400_000)
