import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { queueSiteWorker } from '../../src/delivery/site-worker/tasks.ts'
import type { Figure, Target } from '../benchmark.ts'
import { compareMedians, interleave, median } from '../support/rounds.ts'
import type { CarelessLoop, Model } from './careless.ts'
import { allDelivered, type DocumentRequested, send } from './documents.ts'
import { newestPost, removeMade, requireEachOnce } from './posts.ts'
import type { Stage } from './stage.ts'

/** What a post took. */
export interface Taken {
  /** Posts a second, from the release of the backlog to the last settlement in the database. */
  perSecond: number
  /** Milliseconds of processor time a post; null where they cannot be found. */
  ofWordPress: number | null
  ofGalley: number | null
}

/**
 * Documents that wait for their site, and are then delivered together; their intake is no part of the time. Proves that
 * each became exactly one post, and removes the posts.
 */
export async function deliverBacklog(
  stage: Stage,
  { documents, ...requested }: Omit<DocumentRequested, 'webhook'> & { documents: number },
): Promise<Taken> {
  const { pool, webhook, clocks, wordpress } = stage
  const above = await newestPost(wordpress)
  const ids = await holdBacklog(pool, { ...requested, webhook }, documents)
  const [wordPressBegan, galleyBegan] = [clocks.wordPress(), clocks.galley()]
  const began = Date.now()
  await releaseBacklog(pool, requested.siteId)
  const last = await allDelivered(pool, ids)
  const taken = {
    perSecond: (documents * 1_000) / (last - began),
    ofWordPress: since(wordPressBegan, clocks.wordPress(), documents),
    ofGalley: since(galleyBegan, clocks.galley(), documents),
  }
  await requireEachOnce(wordpress, above, ids)
  await removeMade(wordpress, above)
  return taken
}

/** Milliseconds for each of so many posts. */
export const since = (began: number | null, ended: number | null, posts: number): number | null =>
  began === null || ended === null ? null : (ended - began) / posts

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

export interface Backlog {
  rounds: number
  documents: number
}

/** What a backlog is measured beside, and with which sites. */
interface Sides {
  loop: CarelessLoop
  model: Model
  /** The WordPress connected as it is by itself, and with `batch: off`. */
  sites: { batched: string; single: string }
}

/** Posts without pictures, and what they cost in processor time. */
export async function measureBacklog(
  stage: Stage,
  { loop, model, sites }: Sides,
  { rounds, documents }: Backlog,
): Promise<Figure[]> {
  const { careless, batched, single } = await interleave(rounds, {
    careless: () => postCarelessly(stage, loop, model, documents),
    batched: () => deliverBacklog(stage, { siteId: sites.batched, documents }),
    single: () => deliverBacklog(stage, { siteId: sites.single, documents }),
  })
  const target = { measured: 'below', limit: 5 } as const
  return [
    rate('backlog without pictures', batched, careless, 1),
    rate('backlog without pictures, batch: off', single, careless),
    ...processor('processor time of WordPress for a post', 'ofWordPress', batched, careless),
    ...processor('processor time of WordPress for a post, batch: off', 'ofWordPress', single, careless),
    ...processor('processor time of Galley and its PostgreSQL for a post', 'ofGalley', batched, null, target),
    ...processor(
      'processor time of Galley and its PostgreSQL for a post, batch: off',
      'ofGalley',
      single,
      null,
    ),
  ]
}

/** Posts with one picture each. */
export async function measurePictures(
  stage: Stage,
  { loop, model, sites }: Sides,
  { rounds, documents }: Backlog,
  addressOf: (documentId: string) => string,
): Promise<Figure[]> {
  const { careless, galley } = await interleave(rounds, {
    careless: () => postCarelessly(stage, loop, model, documents),
    galley: () => deliverBacklog(stage, { siteId: sites.batched, documents, picture: addressOf }),
  })
  return [rate('backlog with a picture each', galley, careless, 0.9)]
}

/** The loop's turn. Removes its posts. */
async function postCarelessly(
  { wordpress, clocks }: Stage,
  loop: CarelessLoop,
  model: Model,
  posts: number,
): Promise<Taken> {
  const above = await newestPost(wordpress)
  const began = clocks.wordPress()
  const perSecond = await loop.run(model, posts)
  const ofWordPress = since(began, clocks.wordPress(), posts)
  await removeMade(wordpress, above)
  return { perSecond, ofWordPress, ofGalley: null }
}

/** A rate beside another; `atLeast` of it is wanted, if anything. */
export const rate = (figure: string, measured: Taken[], baseline: Taken[], atLeast?: number): Figure => ({
  figure,
  unit: 'perSecond',
  ...compareMedians(
    measured.map(({ perSecond }) => perSecond),
    baseline.map(({ perSecond }) => perSecond),
  ),
  target: atLeast === undefined ? null : { ratio: 'at least', limit: atLeast },
})

/** No figure where the processes cannot be found. */
function processor(
  figure: string,
  whose: 'ofWordPress' | 'ofGalley',
  measured: Taken[],
  baseline: Taken[] | null,
  target: Target | null = null,
): Figure[] {
  const times = (taken: Taken[]) => taken.flatMap((one) => one[whose] ?? [])
  const [of, besides] = [times(measured), times(baseline ?? [])]
  if (of.length === 0) return []
  const unit = 'milliseconds'
  return besides.length === of.length
    ? [{ figure, unit, ...compareMedians(of, besides), target }]
    : [{ figure, unit, measured: median(of), baseline: null, ratio: null, target }]
}
