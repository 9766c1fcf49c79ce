import { afterAll, beforeAll, expect, test } from 'vitest'
import { standardTiming } from '../../src/jobs/heartbeat.ts'
import type { Cluster } from './stage/cluster.ts'
import type { DocumentMaker, FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { type FaultRun, startRun } from './stage/run.ts'

/** What docs/operations.md promises: seconds from the death of a worker until its sites go on, with the timing of the product. */
const PROMISED_S = 30
const KILLS = 3

let run: FaultRun
let cluster: Cluster
let documents: DocumentMaker
let lane: Lane
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  run = await startRun(['web', 'web', 'worker', 'worker'], standardTiming, { settings: { concurrency: 1 } })
  ;({ cluster, documents, lane } = run)
})

afterAll(() => run.close())

async function send(): Promise<FaultDocument> {
  const document = documents.make(lane.siteId)
  await cluster.acknowledge(document)
  acknowledged.push(document)
  return document
}

const statusOf = async ({ id }: FaultDocument): Promise<string> =>
  (await cluster.pool.query('SELECT status FROM delivery WHERE document_id = $1', [id])).rows[0].status

/** Kills the worker that delivers `document`, in the midst of its third request. @returns the moment, and its place */
function killTheWorkerOf(document: () => FaultDocument): Promise<{ killedAt: number; place: number }> {
  return new Promise((resolve, reject) => {
    const kill = async () => {
      const place = await cluster.holderOf(document().id)
      cluster.children[place]?.kill('SIGKILL')
      lane.proxy.clear()
      return { killedAt: Date.now(), place }
    }
    lane.proxy.rule({ nth: 3 }, { name: 'killed', apply: () => kill().then(resolve, reject) })
  })
}

test(`a killed worker's site goes on within ${PROMISED_S} s: what it held, and what waits behind it`, async () => {
  const tookS: number[] = []
  for (let n = 0; n < KILLS; n++) {
    let held: FaultDocument | undefined
    const killed = killTheWorkerOf(() => held as FaultDocument)
    held = await send()
    const { killedAt, place } = await killed
    const waiting = await send()
    for (const document of [held, waiting])
      await expect
        .poll(() => statusOf(document), { timeout: 2 * PROMISED_S * 1000, interval: 100 })
        .toBe('delivered')
    tookS.push((Date.now() - killedAt) / 1000)
    await cluster.replace(place)
  }
  const verdict = await judge(cluster.pool, documents.word, acknowledged)
  report('killed workers', verdict, { kills: KILLS, 'longest until delivered, s': Math.max(...tookS) })
  expect(verdict).toMatchObject({ ...nothingWrong, delivered: acknowledged.length })
  for (const seconds of tookS) expect(seconds).toBeLessThan(PROMISED_S)
}, 600_000)
