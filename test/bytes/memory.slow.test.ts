import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { addSites } from '../../bench/support/sites.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { bundleProgram, type GalleyChild, startChild } from '../faults/stage/child.ts'
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
const secretKeys = generateSecretKey()
let database: FreshDatabase
let program: string
let galley: GalleyChild
let site: Site
let pool: Pool
let webhook: string

beforeAll(async () => {
  ;[database, program, site] = await Promise.all([freshDatabase(), bundleProgram(), startSite()])
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
})

afterAll(async () => {
  galley?.kill('SIGTERM')
  await galley?.exited
  await pool?.end()
  await site?.close()
  await database?.drop()
})

/** Whatever was asked, nothing stays held when it has ended. */
afterEach(async () => {
  await expect
    .poll(async () => [...(await figures())].filter(([name, value]) => HELD.test(name) && value > 0))
    .toEqual([])
})

const HELD = /^galley_bytes_in_flight(_waiting)?\{/

const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const asked = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  return (await fetch(`${galley.url}${path}`, asked)).json() as Body
}

async function figures(): Promise<Map<string, number>> {
  // A connection of its own: one that is kept may be closed just then.
  const asked = { headers: { ...headers, connection: 'close' } }
  const text = await (await fetch(`${galley.url}/metrics`, asked)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

/** Bytes of the process, now or at most, as Linux counts them. */
async function resident(which: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${galley.pid}/status`, 'utf8')
  return Number(new RegExp(`^${which}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024
}

/** By how many bytes the process grew at most while something went on; printed, for docs/benchmarks.md. */
async function growthDuring(what: string, work: () => Promise<unknown>): Promise<number> {
  // What it had at most counts from here.
  await writeFile(`/proc/${galley.pid}/clear_refs`, '5')
  const before = await resident('VmRSS')
  await work()
  const growth = (await resident('VmHWM')) - before
  console.log(`${what}: ${Math.round(before / MIB)} MiB, ${Math.round(growth / MIB)} MiB more at most`)
  return growth
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

it('a preview of 20 pictures of 10 MB keeps none of them', async () => {
  const [siteId = ''] = await sitesOn(1, 1)
  const document = completed({ siteId, blocks: pictures(20) })
  let seen: { data: { uploads: { size: number; placeholder: object }[] } } | undefined
  const growth = await growthDuring('preview of 20 pictures of 10 MB', async () => {
    seen = await call('POST', `/v1/sites/${siteId}/preview`, document)
  })
  expect(seen?.data.uploads.map(({ size }) => size)).toEqual(Array(20).fill(PICTURE_BYTES))
  expect(growth).toBeLessThan(BUDGET + ALLOWANCE)
})

it('four sites with four lines each upload pictures of 10 MB, as many at a time as there is room for', async () => {
  const ids = await sitesOn(4, 4)
  const before = site.uploaded()
  const documents = ids.flatMap((siteId) =>
    Array.from({ length: 4 }, () => completed({ siteId, blocks: pictures(1) })),
  )
  const growth = await growthDuring('16 uploads of 10 MB', async () => {
    for (const document of documents) await call('POST', webhook, document)
    await delivered(documents.length)
  })
  expect(site.uploaded() - before).toBeGreaterThan(16 * PICTURE_BYTES)
  expect(growth).toBeLessThan(BUDGET + ALLOWANCE)
})

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

it('webhooks hear 503 while others fill their part of the budget, and are taken again afterwards', async () => {
  const slow = [1, 2].map(() => slowWebhook(9 * MIB, 8 * MIB))
  await Promise.all(slow.map(({ sent }) => sent))
  const small = `${JSON.stringify(completed())}${' '.repeat(2 * MIB)}`
  const post = async () => {
    const answer = await fetch(`${galley.url}${webhook}`, { method: 'POST', headers, body: small })
    await answer.arrayBuffer()
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
  }
  // The last bytes of the slow ones may still be on their way.
  await expect.poll(post).toEqual({ status: 503, retryAfter: '5' })
  for (const { end } of slow) end()
  await expect.poll(async () => (await post()).status).toBeOneOf([200, 202])
})

/** A webhook that stops in its middle. */
function slowWebhook(length: number, sends: number): { sent: Promise<void>; end: () => void } {
  const asked = request(`${galley.url}${webhook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': length },
  })
  asked.on('error', () => undefined)
  const sent = new Promise<void>((resolve) => {
    asked.write(Buffer.alloc(sends, 32), () => resolve())
  })
  return { sent, end: () => asked.destroy() }
}

it('a webhook that is small on the wire and large when unpacked is refused before it is', async () => {
  const bomb = gzipSync(Buffer.alloc(300 * MIB, 32))
  const growth = await growthDuring('20 webhooks of 300 MiB as gzip', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const compressed = { ...headers, 'content-encoding': 'gzip' }
        const asked = { method: 'POST', headers: compressed, body: bomb }
        return (await fetch(`${galley.url}${webhook}`, asked)).status
      }),
    )
    expect(statuses.filter((status) => status !== 413 && status !== 503)).toEqual([])
  })
  expect(growth).toBeLessThan(BUDGET + ALLOWANCE)
})

it('bodies that come byte by byte make no heap of bytes', async () => {
  const [siteId = ''] = await sitesOn(1, 1)
  // An object for each byte would take 250 MiB.
  const growth = await growthDuring(
    '2 webhooks of 640 KiB and 4 previews of half of it in pieces of a byte',
    () =>
      Promise.all([
        ...[1, 2].map(() => byteByByte(webhook, 640 * 1024)),
        ...[1, 2, 3, 4].map(() => byteByByte(`/v1/sites/${siteId}/preview`, 320 * 1024)),
      ]),
  )
  expect(growth).toBeLessThan(BUDGET + ALLOWANCE)
  expect((await fetch(`${galley.url}/healthz`)).status).toBe(200)
})

it('a preview that is nothing but brackets is refused before they become objects', async () => {
  const [siteId = ''] = await sitesOn(1, 1)
  const half = 5 * MIB - 1
  const bodies = ['['.repeat(half) + ']'.repeat(half), `[${'{},'.repeat(3 * MIB)}0]`]
  const growth = await growthDuring('2 previews of 10 MiB of brackets', async () => {
    for (const body of bodies) {
      const answer = await fetch(`${galley.url}/v1/sites/${siteId}/preview`, {
        method: 'POST',
        headers,
        body,
      })
      const { error } = (await answer.json()) as { error: { code: string } }
      expect([answer.status, error.code]).toEqual([422, 'DOCUMENT_TOO_MANY_VALUES'])
    }
  })
  expect(growth).toBeLessThan(BUDGET + ALLOWANCE)
})

it('bodies that are announced, compressed or not, and do not come keep no webhook out', async () => {
  const [siteId = ''] = await sitesOn(1, 1)
  const announced = [
    ...Array.from({ length: 20 }, () => announce('/v1/keys', 20, { 'content-encoding': 'gzip' })),
    ...Array.from({ length: 4 }, () => announce(`/v1/sites/${siteId}/preview`, 9 * MIB)),
  ]
  await Promise.all(announced.map(({ sent }) => sent))
  const begun = Date.now()
  while (!((await held('webhooks')) >= announced.length) && Date.now() < begun + 10_000) await sleep(20)
  const answer = await fetch(`${galley.url}${webhook}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(completed()),
  })
  for (const { end } of announced) end()
  expect(answer.status).toBe(202)
})

const held = async (use: string) =>
  (await figures()).get(`galley_bytes_in_flight{use="${use}"}`) ?? Number.NaN

/** The head of a request, and the first byte of its body. */
function announce(path: string, length: number, more: Record<string, string> = {}) {
  const asked = request(`${galley.url}${path}`, {
    method: 'POST',
    headers: { ...headers, ...more, 'content-length': length },
  })
  asked.on('error', () => undefined)
  const sent = new Promise<void>((resolve) => {
    asked.write(' ', () => resolve())
  })
  return { sent, end: () => asked.destroy() }
}

/** Resolves when it was answered or cut off. */
async function byteByByte(path: string, bytes: number): Promise<void> {
  const { hostname, port } = new URL(galley.url as string)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    'Connection: close',
  ]
  const socket = connect(Number(port), hostname)
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let over = false
  socket
    .on('error', () => undefined)
    .on('close', () => {
      over = true
    })
  socket.resume().write(`${head.join('\r\n')}\r\n\r\n`)
  const pieces = Buffer.from('1\r\n \r\n'.repeat(8_192))
  for (let sent = 0; sent < bytes && !over; sent += 8_192)
    if (!socket.write(pieces))
      await Promise.race([ended, new Promise((resolve) => socket.once('drain', resolve))])
  if (!over) socket.write('0\r\n\r\n')
  await ended
}
