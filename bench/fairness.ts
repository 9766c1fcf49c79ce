import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { generateSecretKey } from '../src/secrets/keyring.ts'
import { seeded } from '../test/support/random.ts'
import type { Benchmark, Figure, Result, Scale } from './benchmark.ts'
import { type GalleyProcess, startGalley } from './support/galley.ts'
import type { Postgres } from './support/postgres.ts'
import { median, percentile } from './support/rounds.ts'
import { startSites } from './support/simulator.ts'
import { addSites } from './support/sites.ts'
import { article } from './support/webhook.ts'

const SCALES = {
  // Longer than a hanging write is waited for (60 s), so that time-outs, pauses and probes are seen too.
  full: { sites: 1_000, rounds: 3, perSecond: 10, seconds: 80, backlog: 5 },
  quick: { sites: 10, rounds: 1, perSecond: 10, seconds: 0.5, backlog: 1 },
} satisfies Record<Scale, object>

const HANGING_SHARE = 0.2

export const fairness: Benchmark = {
  title: 'Fairness',
  baseline: 'the same sites when none hangs',
  run,
}

async function run(scale: Scale, postgres: Postgres): Promise<Result> {
  const { sites, rounds, perSecond, seconds, backlog } = SCALES[scale]
  const pairs: { none: number[]; fifth: number[] }[] = []
  for (let round = 0; round < rounds; round += 1)
    pairs.push({ none: await phase(scale, postgres, 0), fifth: await phase(scale, postgres, HANGING_SHARE) })

  const figure = (
    name: string,
    of: (values: number[]) => number,
  ): Pick<Figure, 'figure' | 'measured' | 'baseline' | 'ratio'> => ({
    figure: `intake to post on a healthy site, ${name}`,
    measured: median(pairs.map(({ fifth }) => of(fifth))),
    baseline: median(pairs.map(({ none }) => of(none))),
    ratio: median(pairs.map(({ none, fifth }) => of(fifth) / of(none))),
  })
  const unit = 'milliseconds'
  return {
    figures: [
      {
        ...figure('p95', (times) => percentile(times, 0.95)),
        unit,
        target: { ratio: 'at most', limit: 1.2 },
      },
      { ...figure('median', median), unit, target: null },
    ],
    conditions: [
      `${sites.toLocaleString('en')} simulated sites that answer each request in 20 to 80 ms; a fifth of them hang, or none: they accept every request and answer none.`,
      `${perSecond} documents a second for the other sites, for ${seconds} s; ${backlog} wait for each hanging site from the start.`,
      'Time runs from the moment a webhook is due to be sent to the answer of the request that fills the post.',
    ],
  }
}

/** A new Galley on a new database. @returns milliseconds from intake to post, of each document for a healthy site */
async function phase(scale: Scale, postgres: Postgres, hangingShare: number): Promise<number[]> {
  const { sites: count, perSecond, seconds, backlog } = SCALES[scale]
  const mailing: Mailing = { sentAt: new Map(), postedAfterMs: [] }
  const sites = await startSites(count, (documentId) => arrived(mailing, documentId))
  const connectionString = await postgres.database()
  const secretKeys = generateSecretKey()
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ALLOW_PRIVATE: '127.0.0.1',
  }
  const pool = new Pool({ connectionString, max: 1 })
  let galley: GalleyProcess | undefined
  try {
    galley = await startGalley(scale, settings, join(postgres.folder, 'galley.log'))
    const ids = await addSites(
      pool,
      secretKeys,
      sites.urls.map((url) => ({ url })),
    )
    const webhook = new URL(await galley.source(), galley.url)
    // The same sites are measured whether the others hang or not.
    const others = ids.slice(0, count * HANGING_SHARE)
    const healthy = ids.slice(count * HANGING_SHARE)
    if (hangingShare > 0) {
      sites.hang([...others.keys()])
      for (let n = 0; n < backlog; n += 1) for (const siteId of others) await post(webhook, siteId)
    }
    await sendSteadily(mailing, { webhook, siteIds: healthy, perSecond, seconds })
    await allPosted(mailing)
    return mailing.postedAfterMs
  } finally {
    sites.close()
    await galley?.kill()
    await pool.end()
  }
}

/** Sends one new webhook. @throws unless it was accepted */
export async function post(webhook: URL, siteId: string, documentId: string = randomUUID()): Promise<void> {
  const response = await fetch(webhook, {
    method: 'POST',
    body: JSON.stringify(article({ siteId, documentId, categories: ['Harbour'], tags: ['tides'] })),
  })
  await response.arrayBuffer()
  if (response.status !== 202)
    throw new Error(`Galley answered ${response.status} to a new webhook instead of 202`)
}

/** The documents on their way, and how long those took that have arrived. */
export interface Mailing {
  /** When each document that has no post yet was due to be sent, by `performance.now()`. */
  sentAt: Map<string, number>
  /** Milliseconds. */
  postedAfterMs: number[]
}

interface Plan {
  webhook: URL
  siteIds: readonly string[]
  perSecond: number
  seconds: number
}

/** Sends documents at a fixed rate, each for a site drawn by lot, and resolves when all are acknowledged. */
export async function sendSteadily({ sentAt }: Mailing, plan: Plan): Promise<void> {
  const { webhook, siteIds, perSecond, seconds } = plan
  const draw = seeded(2).next
  const began = performance.now()
  const sent: Promise<void>[] = []
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const due = began + (n * 1_000) / perSecond
    await sleep(Math.max(0, due - performance.now()))
    const documentId = randomUUID()
    sentAt.set(documentId, due)
    sent.push(post(webhook, siteIds[Math.floor(draw() * siteIds.length)] as string, documentId))
  }
  await Promise.all(sent)
}

/** A post was filled. */
export function arrived({ sentAt, postedAfterMs }: Mailing, documentId: string): void {
  const from = sentAt.get(documentId)
  if (from === undefined) return
  sentAt.delete(documentId)
  postedAfterMs.push(performance.now() - from)
}

const ARRIVE_WITHIN_MS = 60_000

/** @throws where a document for a healthy site has no post within a minute of the last webhook */
export async function allPosted({ sentAt }: Mailing): Promise<void> {
  const deadline = performance.now() + ARRIVE_WITHIN_MS
  while (sentAt.size > 0) {
    if (performance.now() > deadline)
      throw new Error(`${sentAt.size} documents for healthy sites have no post`)
    await sleep(50)
  }
}
