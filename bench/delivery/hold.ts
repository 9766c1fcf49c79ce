import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { queueSiteWorker } from '../../src/delivery/site-worker/wake.ts'
import { type DocumentRequested, send } from './documents.ts'

/** Stores so many documents, which wait for their site until {@link releaseBacklog}. @returns their ids */
export async function holdBacklog(
  pool: Pool,
  requested: DocumentRequested,
  documents: number,
): Promise<string[]> {
  await rest(pool, requested.siteId)
  const ids = await Promise.all(Array.from({ length: documents }, () => send(requested)))
  await nothingUnderWay(pool)
  return ids
}

/** The site stands as one that failed and is left alone: what comes for it waits. */
const rest = (pool: Pool, siteId: string): Promise<unknown> =>
  pool.query(
    `UPDATE site SET paused_until = now() + interval '1 hour', trouble = '{"code": "site_down", "message": "benchmark"}'
     WHERE id = $1`,
    [siteId],
  )

/** Forgets that the site failed, and has its worker begin. */
export async function releaseBacklog(pool: Pool, siteId: string): Promise<void> {
  const { rows } = await pool.query<{ account_id: string }>(
    'UPDATE site SET paused_until = NULL, trouble = NULL, trouble_count = 0 WHERE id = $1 RETURNING account_id',
    [siteId],
  )
  await queueSiteWorker(pool, { accountId: rows[0]?.account_id ?? '', id: siteId })
}

/** Waits until the jobs that the webhooks planned have found the site at rest. */
async function nothingUnderWay(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('SELECT 1 FROM graphile_worker.jobs WHERE run_at <= now() LIMIT 1')
    if (rows.length === 0) return
    await sleep(20)
  }
}
