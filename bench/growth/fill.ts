import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { createKey } from '../../src/secrets/keys.ts'
import { addSites } from '../support/sites.ts'

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
  const siteIds = await addSites(pool, createKey(), urls)
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
