import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { addSites } from '../../bench/support/sites.ts'
import { createApiKey } from '../../src/secrets/index.ts'
import { createKey } from '../../src/secrets/keys.ts'
import { bundleGalley, type GalleyChild, type GalleyProgram, startChild } from '../faults/stage/child.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { completed } from '../support/webhooks.ts'
import { PICTURE_BYTES, type Site, startSite } from './site.ts'

// A Galley in a process of its own, with the least budget there is and a small heap, and what it grows by while it is
// given much more than that to do.

const MIB = 1024 * 1024
const BUDGET = 64 * MIB
/** What a process takes beside its budget: young objects not yet collected, sockets, buffers that were let go of. */
const ALLOWANCE = 110 * MIB

const key = createApiKey()
const secretKeys = createKey()
let database: FreshDatabase
let program: GalleyProgram
let galley: GalleyChild
let site: Site
let pool: Pool
let webhook: string

beforeAll(async () => {
  ;[database, program, site] = await Promise.all([freshDatabase(), bundleGalley(), startSite()])
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  const env = {
    DATABASE_URL: database.connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ADMIN_KEY: key,
    GALLEY_BYTES_IN_FLIGHT: String(BUDGET),
    NODE_OPTIONS: '--max-old-space-size=192',
  }
  const timing = { ...quickTiming, exchangeMs: { read: 60_000, write: 60_000, upload: 60_000 } }
  galley = await startChild(program, { env, timing })
  const { data } = await call<{ data: { url: string } }>('POST', '/v1/sources', { name: 'generator' })
  webhook = new URL(data.url).pathname
}, 180_000)

afterAll(async () => {
  galley?.kill('SIGTERM')
  await galley?.exited
  await pool?.end()
  await site?.close()
  await program?.remove()
  await database?.drop()
})

/** Whatever was asked, nothing stays held when it has ended. */
afterEach(async () => {
  const held = async () => [...(await figures()).entries()].filter(([name]) => HELD.test(name))
  const deadline = Date.now() + 10_000
  while ((await held()).some(([, value]) => value > 0) && Date.now() < deadline) await sleep(100)
  expect(Object.fromEntries((await held()).filter(([, value]) => value > 0))).toEqual({})
})

const HELD = /^galley_bytes_in_flight(_waiting)?\{/

const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const asked = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  return (await fetch(`${galley.url}${path}`, asked)).json() as Body
}

async function figures(): Promise<Map<string, number>> {
  const text = await (await fetch(`${galley.url}/metrics`, { headers })).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

const rss = async () => (await figures()).get('process_resident_memory_bytes') ?? Number.NaN

/** By how many bytes the process grew at most while something went on; printed, for docs/benchmarks.md. */
async function growthDuring(what: string, work: () => Promise<unknown>): Promise<number> {
  const before = await rss()
  let peak = before
  let over = false
  const watching = (async () => {
    while (!over) {
      peak = Math.max(peak, await rss())
      await sleep(50)
    }
  })()
  await work().finally(() => {
    over = true
  })
  await watching
  console.log(
    `${what}: ${Math.round(before / MIB)} MiB, ${Math.round((peak - before) / MIB)} MiB more at most`,
  )
  return peak - before
}

const pictures = (count: number) =>
  Array.from({ length: count }, () => ({
    type: 'image',
    url: `${site.url}/pictures/${randomUUID()}.png`,
    alt: 'A harbour',
  }))

const sitesOn = (count: number, concurrency: number) =>
  addSites(
    pool,
    secretKeys,
    Array.from({ length: count }, () => ({ url: site.url, concurrency })),
  )

it('a preview of 120 pictures of 10 MB keeps none of them', async () => {
  const [siteId = ''] = await sitesOn(1, 1)
  const document = completed({ siteId, blocks: pictures(120) })
  let seen: { data: { uploads: { size: number; placeholder: object }[] } } | undefined
  const growth = await growthDuring('preview of 120 pictures of 10 MB', async () => {
    seen = await call('POST', `/v1/sites/${siteId}/preview`, document)
  })
  expect(seen?.data.uploads.map(({ size }) => size)).toEqual(Array(120).fill(PICTURE_BYTES))
  expect(growth).toBeLessThan(BUDGET + ALLOWANCE)
}, 180_000)

it('four sites with four lines each upload pictures of 10 MB, as many at a time as there is room for', async () => {
  const ids = await sitesOn(4, 4)
  const before = site.uploaded()
  const documents = ids.flatMap((siteId) =>
    Array.from({ length: 4 }, () => completed({ siteId, blocks: pictures(3) })),
  )
  const growth = await growthDuring('48 uploads of 10 MB', async () => {
    for (const document of documents) await call('POST', webhook, document)
    await delivered(documents.length)
  })
  expect(site.uploaded() - before).toBeGreaterThan(48 * PICTURE_BYTES)
  expect(growth).toBeLessThan(BUDGET + ALLOWANCE)
}, 180_000)

async function delivered(count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query("SELECT status, error FROM delivery WHERE status <> 'delivered'")
    const ended = rows.filter(({ status }) => status === 'held' || status === 'failed')
    if (ended.length > 0) throw new Error(JSON.stringify(ended[0]))
    const { rows: all } = await pool.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM delivery WHERE status = 'delivered'",
    )
    if ((all[0]?.n ?? 0) >= count) return
    await sleep(200)
  }
}
