import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../support/random.ts'
import { type RestItem, rest } from '../support/wordpress/index.ts'
import type { Cluster } from './stage/cluster.ts'
import type { DocumentMaker, FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { long, seed } from './stage/options.ts'
import { atRest, everyPost } from './stage/oracle.ts'
import { type FaultRun, startRun } from './stage/run.ts'
import { quickTiming } from './stage/timing.ts'

let run: FaultRun
let cluster: Cluster
let documents: DocumentMaker
let lane: Lane
const random = seeded(seed)

beforeAll(async () => {
  run = await startRun(['all', 'all'], { ...quickTiming, untouchedMs: { made: 0, seen: 0 } })
  ;({ cluster, documents, lane } = run)
})

afterAll(() => run.close(), 600_000)

interface State {
  id: string
  status: string
  post_id: number
  error: { code: string } | null
  warnings: { code: string }[]
}

const states = async (): Promise<State[]> =>
  (await cluster.pool.query<State>('SELECT id, status, post_id, error, warnings FROM delivery ORDER BY id'))
    .rows

const textOf = async ({ post_id }: State): Promise<string> => {
  const post = await rest<RestItem>('administrator', 'GET', `/wp/v2/posts/${post_id}?context=edit`)
  return (post.content as { raw: string }).raw
}

/** What a process was killed over three times is held, though it was not the cause. */
const wasKilled = ({ error }: State) => error?.code === 'process_ended'

/** Asks for the same of every delivery until each has ended, while processes are killed. */
async function underKills(kills: number, action: string, body: object): Promise<void> {
  const ask = async ({ id }: State) => {
    // A process that is killed answers nobody; a request that is asked again while it is under way is refused.
    for (let status = 0; status !== 202 && status !== 409; await wait(100))
      status = await cluster.call('POST', `/v1/deliveries/${id}/${action}`, body).then(
        (answer) => answer.status,
        () => 0,
      )
  }
  const asked = Promise.all((await states()).map(ask))
  for (let n = 0; n < kills; n++) {
    await wait(random.below(900))
    await cluster.replace(random.below(2))
  }
  await asked
  for (;;) {
    await atRest(cluster.pool, 180)
    const killed = (await states()).filter(wasKilled)
    if (killed.length === 0) return
    await Promise.all(killed.map(ask))
  }
}

test(`processes killed over choices and their undoing leave each post with one of the two texts (GALLEY_FAULTS_SEED=${seed})`, async () => {
  const rounds = long ? 12 : 1
  let versions: FaultDocument[] = Array.from({ length: 8 }, () =>
    documents.make(lane.siteId, { picture: false }),
  )
  const deliver = async () => {
    for (const document of versions) await cluster.acknowledge(document)
    await atRest(cluster.pool, 180)
  }
  await deliver()
  const posts = (await states()).map(({ post_id }) => post_id)
  for (let round = 1; round <= rounds; round++) {
    const edited = `<p>As a person wrote it in round ${round}.</p>`
    for (const id of posts) await rest('administrator', 'POST', `/wp/v2/posts/${id}`, { content: edited })
    versions = versions.map((of) =>
      documents.make(lane.siteId, { picture: false, version: `${round}th`, of }),
    )
    await deliver()
    expect(new Set((await states()).map(({ status }) => status))).toEqual(new Set(['held']))

    await underKills(3, 'retry', { overwrite: true })
    for (const state of await states()) {
      expect(state).toMatchObject({ status: 'delivered', error: null })
      expect(await textOf(state)).toContain(`The ${round}th version of`)
    }

    await underKills(3, 'undo', {})
    for (const state of await states()) {
      expect(state).toMatchObject({ status: 'kept', error: null, warnings: [] })
      expect(await textOf(state)).toBe(edited)
    }
  }
  expect((await everyPost(documents.word)).map(({ id }) => id).sort()).toEqual([...posts].sort())
}, 1_200_000)
