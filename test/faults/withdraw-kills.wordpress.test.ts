import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followAtOnce } from '../../src/delivery/follow/follow.ts'
import { seeded } from '../support/random.ts'
import type { RestItem } from '../support/wordpress/index.ts'
import type { Cluster } from './stage/cluster.ts'
import type { DocumentMaker, FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { long, seed } from './stage/options.ts'
import { atRest, backlog, everyPost, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { type FaultRun, startRun } from './stage/run.ts'
import { quickTiming } from './stage/timing.ts'

let run: FaultRun
let cluster: Cluster
let documents: DocumentMaker
let lane: Lane
const random = seeded(seed)

beforeAll(async () => {
  run = await startRun(['all', 'all'], quickTiming)
  ;({ cluster, documents, lane } = run)
})

afterAll(() => run.close(), 600_000)

interface DeliveryState {
  id: string
  status: string
  post_id: number
  withdraw_to: 'draft' | 'trash' | null
}

/** Looks at what became of the posts, as though none was seen before. */
async function follow(): Promise<void> {
  await cluster.pool.query('UPDATE delivery SET post_seen_at = NULL')
  const { rows } = await cluster.pool.query<{ account_id: string }>('SELECT account_id FROM site')
  for (const { account_id: accountId } of rows)
    await followAtOnce(cluster.pool, { accountId, id: lane.siteId })
}

const states = async (): Promise<DeliveryState[]> =>
  (await cluster.pool.query<DeliveryState>('SELECT id, status, post_id, withdraw_to FROM delivery')).rows

/** What a process was killed over three times is held, though it was not the cause. */
async function settleAll(): Promise<void> {
  for (;;) {
    await atRest(cluster.pool, 180)
    const { rows } = await cluster.pool.query<DeliveryState>(
      `SELECT id, withdraw_to FROM delivery WHERE status = 'held' AND error ->> 'code' = 'process_ended'`,
    )
    if (rows.length === 0) return
    for (const { id, withdraw_to: to } of rows)
      await cluster.call('POST', `/v1/deliveries/${id}/${to ? 'withdraw' : 'retry'}`, to ? { to } : {})
  }
}

test(
  'processes killed while posts are withdrawn, sent again, delivered anew and followed leave each post where it was last wanted',
  async () => {
    const kills = long ? 60 : 3
    const published = { post_status: 'publish', picture: false } as const
    const acknowledged: FaultDocument[] = Array.from({ length: 10 }, () =>
      documents.make(lane.siteId, published),
    )
    for (const document of acknowledged) await cluster.acknowledge(document)
    await settleAll()
    const ids = new Map(
      (
        await cluster.pool.query<{ id: string; document_id: string }>('SELECT id, document_id FROM delivery')
      ).rows.map(({ id, document_id }) => [document_id, id]),
    )

    let killing = true
    const counts = { withdrawals: 0, retries: 0, versions: 0, follows: 0 }
    const load = async () => {
      while (killing) {
        await wait(random.below(300))
        if (random.below(3) === 0) {
          await follow()
          counts.follows += 1
        }
        if ((await backlog(cluster.pool)) > 6) continue
        const nth = random.below(acknowledged.length)
        const document = acknowledged[nth] as FaultDocument
        const path = `/v1/deliveries/${ids.get(document.id)}`
        const what = random.below(4)
        if (what === 0) {
          const version = `${random.below(1e9)}th`
          acknowledged[nth] = documents.make(lane.siteId, { ...published, version, of: document })
          await cluster.acknowledge(acknowledged[nth] as FaultDocument)
          counts.versions += 1
        } else if (what === 1) {
          // One that is under way is refused, and a process that is killed answers nobody.
          const answer = await cluster.call('POST', `${path}/retry`).catch(() => null)
          if (answer?.status === 202) counts.retries += 1
        } else {
          const to = random.below(2) === 0 ? 'draft' : 'trash'
          const answer = await cluster.call('POST', `${path}/withdraw`, { to }).catch(() => null)
          if (answer?.status === 202) counts.withdrawals += 1
        }
      }
    }
    const sender = load()
    for (let n = 0; n < kills; n++) {
      await wait(500 + random.below(1_500))
      await cluster.replace(random.below(2))
    }
    killing = false
    await sender
    await settleAll()

    const stands = new Map((await everyPost(documents.word)).map((post: RestItem) => [post.id, post.status]))
    const wrong = (await states()).filter(({ status, post_id, withdraw_to }) => {
      const wanted = status === 'withdrawn' ? [withdraw_to, 'trash'] : ['publish']
      return !['withdrawn', 'delivered'].includes(status) || !wanted.includes(stands.get(post_id) as string)
    })
    expect(wrong).toEqual([])

    const withdrawn = (await states()).filter(({ status }) => status === 'withdrawn')
    for (const { id } of withdrawn) await cluster.call('POST', `/v1/deliveries/${id}/retry`)
    await settleAll()
    await follow()
    const verdict = await judge(cluster.pool, documents.word, acknowledged)
    report('kills during withdrawals', verdict, { kills, ...counts, withdrawn: withdrawn.length })
    expect(verdict).toMatchObject({ ...nothingWrong, delivered: acknowledged.length })
    expect(counts.withdrawals).toBeGreaterThan(0)
    const unseen = async () =>
      (await cluster.pool.query('SELECT FROM delivery WHERE post_seen_at IS NULL')).rowCount
    await expect.poll(unseen).toBe(0)
    // Nobody touched a post: what a look finds is Galley's own work.
    const { rows: noticed } = await cluster.pool.query(
      `SELECT outcome, detail FROM delivery_step WHERE step = 'follow'`,
    )
    expect(noticed).toEqual([])
  },
  long ? 1_800_000 : 300_000,
)
