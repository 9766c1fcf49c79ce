import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { removeAll } from '../support/wordpress/index.ts'
import { bundleProgram, type GalleyChild, startChild } from './stage/child.ts'
import { type DocumentMaker, type FaultDocument, startDocuments } from './stage/documents.ts'
import { mountSmallDisk, type SmallDisk } from './stage/embedded.ts'
import { type Lane, openLane } from './stage/lane.ts'
import { atRest, backlog, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'
import { quickTiming } from './stage/timing.ts'

const key = createApiKey()
/** Milliseconds in which a sender must have its answer (docs/contract.md). */
const PATIENCE_MS = 5_000

let disk: SmallDisk
let program: string
let child: GalleyChild
let pool: Pool
let documents: DocumentMaker
let lane: Lane
let webhook: string
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  disk = await mountSmallDisk(400)
  program = await bundleProgram()
  child = await startGalley()
  pool = await disk.connect()
  documents = await startDocuments()
  const source = await call<{ data: { url: string } }>('POST', '/v1/sources', { name: 'faults' })
  webhook = new URL(source.body.data.url).pathname
  lane = await openLane({ call, pool })
})

afterAll(async () => {
  await removeAll(documents.word)
  await pool.end()
  child.kill('SIGTERM')
  await child.exited
  await disk.remove()
  await lane.proxy.close()
  await documents.close()
})

const startGalley = (): Promise<GalleyChild> =>
  startChild(program, {
    env: {
      GALLEY_DATA_DIR: disk.dataDir,
      GALLEY_ADMIN_KEY: key,
    },
    timing: quickTiming,
  })

async function call<Body>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${child.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

interface Answers {
  stored: number
  refused: number
  slowestMs: number
}

/** Sends webhooks, a new document each, until `over`; only a 2xx counts as acknowledged. */
async function sendUntil(over: Promise<unknown>): Promise<Answers> {
  const answers: Answers = { stored: 0, refused: 0, slowestMs: 0 }
  let going = true
  const done = over.finally(() => {
    going = false
  })
  while (going) {
    const document = documents.make(lane.siteId)
    const began = performance.now()
    const { status } = await call('POST', webhook, document.body)
    answers.slowestMs = Math.max(answers.slowestMs, performance.now() - began)
    expect([202, 503]).toContain(status)
    if (status === 202) {
      acknowledged.push(document)
      answers.stored += 1
    } else answers.refused += 1
    await wait(150)
  }
  await done
  return answers
}

/** Until a webhook is taken again, without anybody's help. */
async function recovered(): Promise<void> {
  await expect
    .poll(
      async () => {
        const document = documents.make(lane.siteId)
        const { status } = await call('POST', webhook, document.body)
        if (status === 202) acknowledged.push(document)
        return status
      },
      { interval: 500 },
    )
    .toBe(202)
}

const trouble: Record<string, () => Promise<void>> = {
  'is killed': () => disk.signal('SIGKILL'),
  'is stopped': () => disk.signal('SIGINT'),
  stalls: () => disk.stall(7_000),
  'cannot fsync': () => disk.failFsync(4_000),
  'has no disk left': () => disk.fill(4_000),
}

test.each(Object.keys(trouble))(
  'when the database %s, every webhook is answered in time, none is promised that is not stored, and all recovers',
  async (name) => {
    await recovered()
    const befall = trouble[name] as () => Promise<void>
    const answers = await sendUntil(
      wait(300)
        .then(befall)
        .then(() => wait(700)),
    )
    await recovered()
    console.log(`the database ${name}: ${JSON.stringify(answers)}`)
    expect(answers.slowestMs).toBeLessThan(PATIENCE_MS)
    await expect.poll(() => backlog(pool).catch(() => -1), { interval: 500 }).toBe(0)
  },
)

test('a second process on the same data folder does not start, and the first goes on', async () => {
  await expect(startGalley()).rejects.toThrow(/ended before it served/)
  await recovered()
})

test('after all of it each acknowledged document has one post', async () => {
  await atRest(pool, 300)
  const verdict = await judge(pool, documents.word, acknowledged)
  report('database', verdict, { faults: Object.keys(trouble).length })
  expect(verdict).toMatchObject({ ...nothingWrong, delivered: acknowledged.length })
}, 400_000)
