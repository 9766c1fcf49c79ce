import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cluster } from './stage/cluster.ts'
import type { DocumentMaker, FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { long } from './stage/options.ts'
import { atRest, backlog, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { type FaultRun, startRun } from './stage/run.ts'
import { quickTiming } from './stage/timing.ts'

/** Two processes of each kind; the bounded form restarts one of each. */
const ROLES = ['web', 'worker', 'web', 'worker'] as const
const rounds = long ? [...ROLES.keys(), ...ROLES.keys()] : [0, 1]
/** Documents under way at once. */
const MOST_WAITING = long ? 8 : 3

let run: FaultRun
let cluster: Cluster
let documents: DocumentMaker
let lane: Lane
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  run = await startRun(ROLES, quickTiming)
  ;({ cluster, documents, lane } = run)
})

afterAll(() => run.close())

test('a rolling restart of web and worker processes under a stream of webhooks loses and doubles nothing', async () => {
  let over = false
  const stream = async () => {
    while (!over) {
      if ((await backlog(cluster.pool)) < MOST_WAITING) {
        const document = documents.make(lane.siteId)
        await cluster.acknowledge(document)
        acknowledged.push(document)
      }
      await wait(150)
    }
  }
  const streams = Promise.all([stream(), stream()])
  for (const place of rounds) {
    await wait(300)
    await cluster.replace(place, 'SIGTERM')
  }
  over = true
  await streams
  await atRest(cluster.pool, 180)
  const verdict = await judge(cluster.pool, documents.word, acknowledged)
  report('rolling restarts', verdict, { restarts: rounds.length })
  expect(verdict).toMatchObject({
    ...nothingWrong,
    delivered: acknowledged.length,
    pictures: acknowledged.length,
  })
  expect(acknowledged.length).toBeGreaterThan(rounds.length)
}, 600_000)
