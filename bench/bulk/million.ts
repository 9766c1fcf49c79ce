import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure, Scale } from '../benchmark.ts'
import { percentile } from '../support/statistics.ts'
import { besides, type Met } from './others.ts'
import { ask, type Stage } from './stage.ts'

/** Deliveries of one account. */
export const ROWS = { full: 1_000_000, quick: 2_000 } satisfies Record<Scale, number>

/** What a job is asked to act on, from what most rows match to what none does. */
const FILTERS = [
  ['all that are delivered', { status: 'delivered' }],
  ['the 2 % that have failed', { status: 'failed' }],
  ['a title that none has', { status: 'delivered', title: 'nowhere' }],
] as const

/**
 * How long it takes until a job has written down what matches among a million deliveries, and what another account meets
 * meanwhile. What is written down is not acted on: the job is cancelled then.
 */
export async function measureCollecting(scale: Scale, stage: Stage, idle: Met): Promise<Figure[]> {
  const rows = ROWS[scale]
  await fill(stage, rows)
  const figures: Figure[] = []
  for (const [name, filter] of FILTERS) {
    const began = performance.now()
    const { answer: seconds, ...met } = await besides(stage, async () => {
      const body = { action: 'cancel', filter, dry_run: true }
      const { id } = await ask<{ id: string }>(stage.galley, stage.bulk, 'POST', '/v1/bulk', body)
      await collected(stage, id)
      const took = (performance.now() - began) / 1_000
      await ask(stage.galley, stage.bulk, 'POST', `/v1/bulk/${id}/cancel`)
      return took
    })
    const of = `of ${rows.toLocaleString('en')}, ${name}`
    const [measured, baseline] = [percentile(met.lists, 0.95), percentile(idle.lists, 0.95)]
    figures.push(
      {
        figure: `${of}: written down`,
        unit: 'seconds',
        measured: seconds,
        baseline: null,
        ratio: null,
        target: null,
      },
      {
        ...{ figure: `${of}: another account's list of deliveries meanwhile, p95`, unit: 'milliseconds' },
        ...{ measured, baseline, ratio: measured / baseline, target: null },
      },
    )
  }
  return figures
}

async function collected({ galley, bulk }: Stage, id: string): Promise<void> {
  for (;;) {
    const { data } = await ask<{ data: { status: string } }>(galley, bulk, 'GET', `/v1/bulk/${id}`)
    if (data.status !== 'collecting') return
    await sleep(20)
  }
}

/** To a site that nobody has connected, so that nothing is sent: most are delivered, two per cent have failed. */
async function fill({ pool, bulkAccount }: Stage, rows: number): Promise<void> {
  await pool.query(
    `WITH source AS (
       INSERT INTO source (id, account_id, name, token_hash)
       VALUES (gen_random_uuid(), $1, 'years', gen_random_uuid()::text) RETURNING id
     ), made AS MATERIALIZED (
       SELECT n, uuidv7((n::float8 / $2::int - 1) * interval '60 days') AS id, uuidv7() AS event_id,
         gen_random_uuid() AS document_id, md5((n % 1000)::text)::uuid AS site_id,
         now() + (n::float8 / $2::int - 1) * interval '60 days' AS at
       FROM generate_series(1, $2::int) AS n
     ), events AS (
       INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest)
       SELECT event_id, $1, source.id, 'document.completed', document_id, 'planned', sha256(event_id::text::bytea)
       FROM made, source
     )
     INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, error, title, created_at, updated_at)
     SELECT id, $1, site_id, document_id, event_id, CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'delivered' END,
       CASE WHEN n % 50 = 0 THEN '{"code": "content_refused", "step": "fill", "message": ""}'::jsonb END, 'Title ' || n, at, at
     FROM made`,
    [bulkAccount, rows],
  )
  await pool.query('VACUUM ANALYZE event, delivery')
}
