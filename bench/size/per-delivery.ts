import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pMap from 'p-map'
import { Pool } from 'pg'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import type { Scale } from '../benchmark.ts'
import { PeakMemory } from '../cost.ts'
import { startGalley } from '../support/galley.ts'
import type { Postgres } from '../support/postgres.ts'
import { startSites } from '../support/simulator.ts'
import { addSites } from '../support/sites.ts'
import { documentMaker } from './documents.ts'

/** What one delivery of an article leaves and costs. */
export interface PerDelivery {
  /** Bytes of a webhook. */
  webhook: number
  /** Bytes by table, with indexes, after a VACUUM. */
  bytes: Record<Growing, number>
  /** Rows of all of them. */
  rows: number
  /** Bytes of write-ahead log, what checkpoints add included. */
  wal: number
  /** Versions of the row of a delivery that PostgreSQL writes after the first. */
  updates: number
  /** The most connections that Galley had at once. */
  connections: number
  /** The most memory that Galley had, in megabytes. */
  memory: number
}

interface Requested {
  sites: number
  documents: number
}

/** Delivers so many articles, to sites that are simulated, and measures what that leaves. */
export async function measureDeliveries(
  scale: Scale,
  postgres: Postgres,
  { sites: count, documents }: Requested,
): Promise<PerDelivery> {
  const sites = await startSites(count, () => undefined)
  const connectionString = await postgres.database()
  const secretKeys = generateSecretKey()
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ALLOW_PRIVATE: '127.0.0.1',
  }
  const pool = new Pool({ connectionString, max: 1, application_name: 'benchmark' })
  const galley = await startGalley(scale, settings, join(postgres.folder, 'galley.log'))
  try {
    const siteIds = await addSites(
      pool,
      secretKeys,
      sites.urls.map((url) => ({ url })),
    )
    const webhook = new URL(await galley.source(), galley.url)
    const [before, from] = [await bytesOf(pool), await walPosition(pool)]
    const memory = new PeakMemory(galley.pid)
    const make = documentMaker()
    const bodies = Array.from({ length: documents }, (_, n) => make({ siteId: siteIds[n % count] as string }))
    await pMap(bodies, (body) => send(webhook, body as Buffer<ArrayBuffer>), { concurrency: 10 })
    const connections = await untilDelivered(pool, documents)
    const wal = ((await walPosition(pool)) - from) / documents
    const most = await memory.stop()
    // What a session has counted is in the statistics when it ends.
    await galley.stop()
    const updates = await updatesOf(pool, documents)
    await putPictures(pool)
    await pool.query('VACUUM ANALYZE')
    const after = await bytesOf(pool)
    const each = GROWING.map((table) => [table, (after[table] - before[table]) / documents])
    return {
      webhook: bodies.reduce((sum, { length }) => sum + length, 0) / documents,
      bytes: Object.fromEntries(each) as Record<Growing, number>,
      rows: (await rowsOf(pool)) / documents,
      ...{ wal, updates, connections, memory: most },
    }
  } finally {
    sites.close()
    await galley.kill()
    await pool.end()
  }
}

async function send(webhook: URL, body: Buffer<ArrayBuffer>): Promise<void> {
  const { status } = await fetch(webhook, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  if (status !== 202) throw new Error(`Galley answered ${status} to a new webhook instead of 202`)
}

/** @returns the most connections that were seen meanwhile */
async function untilDelivered(pool: Pool, documents: number): Promise<number> {
  const deadline = performance.now() + 600_000
  for (let most = 0; performance.now() < deadline; await sleep(100)) {
    const { rows } = await pool.query<{ delivered: number; connections: number }>(
      `SELECT (SELECT count(*)::int FROM delivery WHERE status = 'delivered') AS delivered,
         (SELECT count(*)::int FROM pg_stat_activity
          WHERE datname = current_database() AND application_name <> 'benchmark') AS connections`,
    )
    most = Math.max(most, rows[0]?.connections ?? 0)
    if (rows[0]?.delivered === documents) return most
  }
  throw new Error('not everything was delivered within ten minutes')
}

async function walPosition(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes`)
  return Number(rows[0]?.bytes)
}

/** As a picture each would have left: the simulated sites take no files. */
const putPictures = (pool: Pool) =>
  pool.query(
    `INSERT INTO delivery_media (delivery_id, marker, source_url, intent_at, media_id)
     SELECT id, 'galley-' || document_id || '-0123456789ab', 'https://pictures.example/' || id || '.jpg', now(), post_id
     FROM delivery`,
  )

async function updatesOf(pool: Pool, documents: number): Promise<number> {
  const { rows } = await pool.query<{ updates: string }>(
    `SELECT n_tup_upd AS updates FROM pg_stat_user_tables WHERE relname = 'delivery'`,
  )
  return Number(rows[0]?.updates) / documents
}

/** The tables that grow with every delivery. */
export const GROWING = ['delivery', 'event', 'delivery_step', 'delivery_media', 'notification'] as const

export type Growing = (typeof GROWING)[number]

/** Bytes of each with its indexes and what lies beside its rows (TOAST). */
export async function bytesOf(pool: Pool): Promise<Record<Growing, number>> {
  const { rows } = await pool.query<{ name: Growing; bytes: string }>(
    'SELECT name, pg_total_relation_size(name::regclass) AS bytes FROM unnest($1::text[]) AS name',
    [GROWING],
  )
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)])) as Record<Growing, number>
}

/** Rows of all of them together. */
export async function rowsOf(pool: Pool): Promise<number> {
  const counts = GROWING.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')
  const { rows } = await pool.query<{ rows: string }>(`SELECT ${counts} AS rows`)
  return Number(rows[0]?.rows)
}
