import { createHash, randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { COHORT_SIZE, claimNext } from '../src/delivery/ledger/claim.ts'
import { type IncomingEvent, storeEvents } from '../src/intake/store.ts'
import { standardTiming } from '../src/jobs/heartbeat.ts'
import { generateSecretKey } from '../src/secrets/keyring.ts'
import type { Benchmark, Figure, Result, Scale } from './benchmark.ts'
import { median, percentile } from './support/rounds.ts'
import { addSites } from './support/sites.ts'
import { articleStencil } from './support/webhook.ts'

const SCALES = {
  full: { small: 1_000, large: 1_000_000, rounds: 10, timesARound: 50 },
  quick: { small: 100, large: 2_000, rounds: 2, timesARound: 5 },
} satisfies Record<Scale, object>

export const growth: Benchmark = {
  title: 'Growth',
  baseline: 'the same with 1,000 deliveries in the table',
  async run(scale, { database }) {
    const pools = [await database(), await database()].map(
      (connectionString) => new Pool({ connectionString, max: 1 }),
    )
    try {
      return await run(scale, pools as [Pool, Pool])
    } finally {
      for (const pool of pools) await pool.end()
    }
  },
}

async function run(scale: Scale, [smallPool, largePool]: [Pool, Pool]): Promise<Result> {
  const { small, large, rounds, timesARound } = SCALES[scale]
  const tables = {
    small: await fill(smallPool, small),
    large: await fill(largePool, large),
  }
  const taken = { small: [] as Times[], large: [] as Times[] }
  // The first statements of a connection are planned; they are no part of what grows.
  for (const table of Object.values(tables)) for (let n = 0; n < 10; n += 1) await timeEach(table)
  for (let round = 0; round < rounds; round += 1)
    for (const size of ['small', 'large'] as const)
      for (let n = 0; n < timesARound; n += 1) taken[size].push(await timeEach(tables[size]))
  const figures = (what: string, which: keyof Times) =>
    beside(
      what,
      taken.large.map((times) => times[which]),
      taken.small.map((times) => times[which]),
    )
  return {
    figures: [
      ...figures('claim of one', 'one'),
      ...figures(`claim of ${COHORT_SIZE}`, 'cohort'),
      ...figures('intake of one event', 'intake'),
    ],
    conditions: [
      `${large.toLocaleString('en')} deliveries of 1,000 sites beside ${small.toLocaleString('en')}; one in ten is due, the others are delivered.`,
      `A claim takes those of a site that have been due the longest: ${COHORT_SIZE}, as a site worker's slot does, or one.`,
      `${rounds * timesARound} statements of each kind, in turn, on one connection, each with its commit on disk.`,
    ],
  }
}

/** Milliseconds of each statement. */
interface Times {
  intake: number
  one: number
  cohort: number
}

/**
 * Stores events for a site, and claims as many, of those that have been due there the longest: in either table so many are
 * found, and as many stay due as before.
 */
async function timeEach({ pool, accountId, sourceId, siteIds }: Filled): Promise<Times> {
  const siteId = siteIds[Math.floor(Math.random() * siteIds.length)] as string
  const request = { siteId, accountId, worker: 'benchmark', leaseS: standardTiming.leaseS }
  const store = async (count: number) => {
    const events = Array.from({ length: count }, () => incomingFor({ accountId, sourceId, siteId }))
    return timed(() => storeEvents(pool, events))
  }
  const claim = (count: number) =>
    timed(async () => {
      const { length } = await claimNext(pool, request, count)
      if (length !== count)
        throw new Error(`Of ${count} deliveries due for site ${siteId}, ${length} were found`)
    })
  const intake = await store(1)
  const one = await claim(1)
  await store(COHORT_SIZE)
  return { intake, one, cohort: await claim(COHORT_SIZE) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function beside(what: string, large: number[], small: number[]): Figure[] {
  const figure = (name: string, of: (values: number[]) => number): Figure => ({
    figure: `${what}, ${name}`,
    unit: 'milliseconds',
    measured: of(large),
    baseline: of(small),
    ratio: of(large) / of(small),
    target: { ratio: 'at most', limit: 1.2 },
  })
  return [figure('median', median), figure('p95', (values) => percentile(values, 0.95))]
}

/** A database that has been in use for a while. */
export interface Filled {
  pool: Pool
  accountId: string
  sourceId: string
  siteIds: string[]
}

const SITES = 1_000

/**
 * Fills the tables with so many deliveries, spread over 1,000 sites, each with its event (the body purged
 * out) and a line of its timeline. One in ten is due, for up to a day already; the others are delivered.
 */
export async function fill(pool: Pool, deliveries: number): Promise<Filled> {
  const accountId = randomUUID()
  const sourceId = randomUUID()
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'benchmark')`, [accountId])
  await pool.query(
    `INSERT INTO source (id, account_id, name, token_hash) VALUES ($1, $2, 'benchmark', 'none')`,
    [sourceId, accountId],
  )
  const urls = Array.from({ length: SITES }, (_, n) => ({ url: `https://site-${n}.example` }))
  const siteIds = await addSites(pool, generateSecretKey(), urls)
  await pool.query(
    `WITH made AS (
       SELECT n, uuidv7() AS id, uuidv7() AS event_id, gen_random_uuid() AS document_id,
         ($3::uuid[])[1 + n % ${SITES}] AS site_id, random() < 0.1 AS due
       FROM generate_series(0, $4::int - 1) AS n
     ), events AS (
       INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest)
       SELECT event_id, $1, $2, 'document.completed', document_id, 'planned', sha256(event_id::text::bytea) FROM made
     ), deliveries AS (
       INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, post_id)
       SELECT id, $1, site_id, document_id, event_id, CASE WHEN due THEN 'queued' ELSE 'delivered' END,
         CASE WHEN due THEN now() - random() * interval '1 day' END, CASE WHEN due THEN NULL ELSE n END
       FROM made
     )
     INSERT INTO delivery_step (delivery_id, step, outcome) SELECT id, 'plan', 'queued' FROM made`,
    [accountId, sourceId, siteIds, deliveries],
  )
  await pool.query('VACUUM ANALYZE event, delivery, delivery_step, site')
  return { pool, accountId, sourceId, siteIds }
}

/** An event as intake hands it to the store, without HTTP before it. */
export function incomingFor(sender: { accountId: string; sourceId: string; siteId: string }): IncomingEvent {
  const { accountId, sourceId, siteId } = sender
  const body = articleStencil([siteId])()
  return {
    eventId: randomUUID(),
    accountId,
    sourceId,
    kind: 'document.completed',
    documentId: randomUUID(),
    status: 'planned',
    issues: [],
    digest: createHash('sha256').update(body).digest(),
    body,
    plans: [{ deliveryId: randomUUID(), siteId }],
  }
}
