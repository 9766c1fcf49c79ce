import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../demo/processes.ts'
import { removeAll } from '../support/wordpress/index.ts'
import { type Cluster, startCluster } from './stage/cluster.ts'
import { type DocumentMaker, type FaultDocument, startDocuments } from './stage/documents.ts'
import { type Lane, openLane } from './stage/lane.ts'
import {
  type Pooler,
  type Server,
  startBalancer,
  startPooler,
  startServer,
  waitForStandby,
} from './stage/machines.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { quickTiming } from './stage/timing.ts'

// As docs/operations.md has it for several machines: nginx, two web and two worker processes, PgBouncer in session mode, and
// a PostgreSQL 15 with a synchronous standby. All real, on one machine. Needs root and `postgresql-15 pgbouncer nginx`.

const DOCUMENTS = 150
const WEB = [0, 1]
const WORKERS = [2, 3]

let primary: Server
let standby: Server
let pooler: Pooler
let balancer: Awaited<ReturnType<typeof startBalancer>>
let cluster: Cluster
let documents: DocumentMaker
let lane: Lane

beforeAll(async () => {
  primary = await startServer()
  standby = await startServer(primary)
  await waitForStandby(primary)
  pooler = await startPooler(primary)
  const ports = [await freePort(), await freePort()]
  balancer = await startBalancer(ports)
  const { connectionString } = pooler
  const database = { connectionString, drop: async () => undefined }
  cluster = await startCluster(['web', 'web', 'worker', 'worker'], quickTiming, {
    database,
    ports,
    address: balancer.url,
  })
  documents = await startDocuments()
  lane = await openLane(cluster, { settings: { concurrency: 4 } })
})

afterAll(async () => {
  await removeAll(documents.word)
  await cluster.stop()
  await lane.proxy.close()
  await documents.close()
  await balancer.remove()
  await pooler.remove()
  await standby.remove()
  await primary.remove()
}, 600_000)

/** Sends so many documents, one after the other, through nginx; `befall` is called in their midst, and awaited. */
async function under(load: number, befall: () => Promise<void>): Promise<FaultDocument[]> {
  const sent: FaultDocument[] = []
  let trouble: Promise<void> | undefined
  for (let number = 0; number < load; number += 1) {
    if (number === Math.floor(load / 3)) trouble = befall()
    const document = documents.make(lane.siteId)
    await cluster.acknowledge(document)
    sent.push(document)
    await wait(60)
  }
  await trouble
  return sent
}

async function judged(name: string, sent: FaultDocument[], counts: Record<string, number>): Promise<void> {
  await atRest(cluster.pool, 300)
  const verdict = await judge(cluster.pool, documents.word, sent)
  const { rows } = await cluster.pool.query(`SELECT DISTINCT warnings FROM delivery WHERE warnings <> '[]'`)
  for (const { warnings } of rows) console.log(JSON.stringify(warnings))
  report(name, verdict, counts)
  expect(verdict).toMatchObject({ ...nothingWrong, delivered: sent.length })
}

const roles = { 'a web process': WEB[0], 'a worker': WORKERS[0] } as Record<string, number>

test.each(Object.keys(roles))(
  'behind nginx and PgBouncer, %s is killed under load',
  async (who) => {
    const sent = await under(DOCUMENTS, () => cluster.replace(roles[who] as number))
    await judged(`several machines, ${who} killed`, sent, { kills: 1 })
  },
  900_000,
)

test('the primary is killed under load, and its standby takes over', async () => {
  let tookMs = 0
  const sent = await under(DOCUMENTS, async () => {
    const at = Date.now()
    await primary.kill()
    await standby.promote()
    await pooler.pointTo(standby)
    tookMs = Date.now() - at
  })
  await judged('several machines, the primary killed', sent, { 'ms until the standby took over': tookMs })
}, 900_000)
