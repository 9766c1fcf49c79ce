import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { generateSecretKey } from '../src/secrets/keyring.ts'
import { completed } from '../test/support/webhooks.ts'
import type { Benchmark, Figure, Result, Scale } from './benchmark.ts'
import { galleyClock } from './delivery/processor.ts'
import { type Crowd, startCrowd } from './support/crowd.ts'
import { startGalley } from './support/galley.ts'
import type { Postgres } from './support/postgres.ts'
import { median } from './support/rounds.ts'
import { addSites } from './support/sites.ts'

/** Of each number of sites, the rounds. The first is what the others are held against. */
const SCALES: Record<Scale, { sites: number; rounds: number }[]> = {
  full: [
    { sites: 1_000, rounds: 3 },
    { sites: 10_000, rounds: 1 },
    { sites: 100_000, rounds: 1 },
  ],
  quick: [
    { sites: 8, rounds: 1 },
    { sites: 16, rounds: 1 },
  ],
}

export const sites: Benchmark = {
  title: 'Many sites',
  baseline: 'the least number of sites',
  run,
}

/** What the release of a document for each site came to. */
interface Released {
  firstRequestMs: number
  perSecond: number
  /** Milliseconds of a delivery, of Galley and its PostgreSQL; null where they cannot be found. */
  processorMs: number | null
}

async function run(scale: Scale, postgres: Postgres): Promise<Result> {
  const figures: Figure[] = []
  let least: Released | undefined
  for (const { sites, rounds } of SCALES[scale]) {
    const taken: Released[] = []
    for (let round = 0; round < rounds; round += 1) taken.push(await release(scale, postgres, sites))
    const measured = {
      firstRequestMs: median(taken.map(({ firstRequestMs }) => firstRequestMs)),
      perSecond: median(taken.map(({ perSecond }) => perSecond)),
      processorMs: medianOrNull(taken.map(({ processorMs }) => processorMs)),
    }
    figures.push(...figuresOf(sites, measured, least))
    least ??= measured
  }
  return {
    figures,
    conditions: [
      'Simulated sites with an address each, which answer a request in 20 to 80 ms; one short document waits for each. All were paused by hand, and are resumed in one statement.',
      'All of it counts from that statement: within two seconds a sweep finds what is due. A thousand sites are prepared together before the first request of any, so a clock that starts with that request would leave out the work of the first thousand, which is all of the smallest run.',
      'Galley in one process with its own PostgreSQL; the sites share the machine, and take about as much of it as Galley does.',
    ],
  }
}

const medianOrNull = (values: readonly (number | null)[]): number | null => {
  const known = values.flatMap((value) => value ?? [])
  return known.length === 0 ? null : median(known)
}

function figuresOf(sites: number, measured: Released, least: Released | undefined): Figure[] {
  const of = `${sites.toLocaleString('en')} sites`
  const compared = (value: number, baseline: number | null | undefined) =>
    baseline == null
      ? { measured: value, baseline: null, ratio: null }
      : { measured: value, baseline, ratio: value / baseline }
  const { perSecond, firstRequestMs, processorMs } = measured
  return [
    {
      figure: `${of}: deliveries`,
      unit: 'perSecond',
      ...compared(perSecond, least?.perSecond),
      target: least === undefined ? null : { ratio: 'at least', limit: 0.8 },
    },
    {
      figure: `${of}: time to the first request`,
      unit: 'milliseconds',
      ...compared(firstRequestMs, least?.firstRequestMs),
      target: null,
    },
    ...(processorMs === null
      ? []
      : [
          {
            figure: `${of}: processor time of Galley and its PostgreSQL for a delivery`,
            unit: 'milliseconds' as const,
            ...compared(processorMs, least?.processorMs),
            target: null,
          },
        ]),
  ]
}

/** A new Galley on a new database, and so many sites with a document each, released at once. */
async function release(scale: Scale, postgres: Postgres, count: number): Promise<Released> {
  const connectionString = await postgres.database()
  const secretKeys = generateSecretKey()
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ALLOW_PRIVATE: '127.0.0.0/8',
  }
  const crowd = await startCrowd()
  const pool = new Pool({ connectionString, max: 2 })
  const galley = await startGalley(scale, settings, join(postgres.folder, 'galley.log'))
  try {
    await galley.source()
    await connectAll(pool, secretKeys, crowd, count)
    await storeDocuments(pool)
    const clock = await galleyClock(galley.pid, pool)
    const [released, before] = [Date.now(), clock()]
    await pool.query('UPDATE site SET stopped_at = NULL')
    const firstRequest = crowd.firstRequest.then(() => Date.now() - released)
    const ended = await allSettled(pool, crowd, count)
    const after = clock()
    return {
      firstRequestMs: await firstRequest,
      perSecond: (count * 1_000) / (ended - released),
      processorMs: before === null || after === null ? null : (after - before) / count,
    }
  } finally {
    await galley.kill()
    crowd.close()
    await pool.end()
  }
}

/** Sites, whose secrets are sealed, in one statement. */
const CHUNK = 5_000

/** Connects sites, each with an address of its own, and pauses them. */
async function connectAll(pool: Pool, secretKeys: string, crowd: Crowd, count: number): Promise<void> {
  for (let from = 0; from < count; from += CHUNK)
    await addSites(
      pool,
      secretKeys,
      Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) => ({
        url: crowd.url(from + index),
      })),
    )
  await pool.query('UPDATE site SET stopped_at = now()')
}

/** A document for each site, as if it had come by a webhook. */
async function storeDocuments(pool: Pool): Promise<void> {
  const body = completed({ id: '{document}', siteId: '{site}', title: 'Slack water' })
  await pool.query(
    `WITH document AS (
       SELECT gen_random_uuid() AS id, gen_random_uuid() AS event_id, id AS site_id FROM site
     ), written AS (
       SELECT *, convert_to(replace(replace($1, '{document}', id::text), '{site}', site_id::text), 'UTF8') AS body
       FROM document
     ), stored AS (
       INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body)
       SELECT event_id, source.account_id, source.id, 'document.completed', written.id, 'planned', sha256(body), body
       FROM written, source WHERE NOT source.built_in
     )
     INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, updated_at)
     SELECT gen_random_uuid(), site.account_id, site_id, document.id, event_id, 'queued', now(), now()
     FROM document JOIN site ON site.id = site_id`,
    [JSON.stringify(body)],
  )
}

/** Seconds without a new post after which the database is asked why. It reads all deliveries for that. */
const STALLED_S = 10

/** @returns when the last was settled, in milliseconds since 1970; the database runs on the same clock */
async function allSettled(pool: Pool, crowd: Crowd, count: number): Promise<number> {
  let filled = 0
  for (let stalled = 0; crowd.filled() < count; stalled += 1) {
    if (crowd.filled() > filled) stalled = 0
    filled = crowd.filled()
    if (stalled > 0 && stalled % STALLED_S === 0) await assertNoneStuck(pool)
    await sleep(1_000)
  }
  for (;;) {
    const { rows } = await pool.query('SELECT FROM delivery WHERE due_at IS NOT NULL LIMIT 1')
    if (rows.length === 0) break
    await sleep(20)
  }
  const { rows } = await pool.query(
    'SELECT (extract(epoch FROM max(updated_at)) * 1000)::float8 AS last FROM delivery',
  )
  return rows[0].last
}

async function assertNoneStuck(pool: Pool): Promise<void> {
  const { rows } = await pool.query(`SELECT error FROM delivery WHERE status IN ('held', 'failed') LIMIT 1`)
  if (rows.length > 0) throw new Error(`A document was not delivered: ${JSON.stringify(rows[0])}`)
}
