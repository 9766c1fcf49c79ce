import { Pool } from 'pg'
import { COHORT, claimNext } from '../../src/delivery/ledger/claim.ts'
import { type Incoming, storeEvents } from '../../src/intake/store.ts'
import { standardTiming } from '../../src/jobs/timing.ts'
import type { Benchmark, Figure, Result, Scale } from '../benchmark.ts'
import { withPostgres } from '../support/postgres.ts'
import { median, percentile } from '../support/statistics.ts'
import { type Filled, fill } from './fill.ts'
import { incomingFor } from './incoming.ts'

const SCALES = {
  full: { small: 1_000, large: 1_000_000, rounds: 10, timesARound: 50 },
  quick: { small: 100, large: 2_000, rounds: 2, timesARound: 5 },
} satisfies Record<Scale, object>

export const growth: Benchmark = {
  title: 'Growth',
  baseline: 'the same with 1,000 deliveries in the table',
  run: (scale) =>
    withPostgres(async ({ database }) => {
      const pools = [await database(), await database()].map(
        (connectionString) => new Pool({ connectionString, max: 1 }),
      )
      try {
        return await run(scale, pools as [Pool, Pool])
      } finally {
        for (const pool of pools) await pool.end()
      }
    }),
}

async function run(scale: Scale, [smallPool, largePool]: [Pool, Pool]): Promise<Result> {
  const { small, large, rounds, timesARound } = SCALES[scale]
  const tables = {
    small: await fill(smallPool, small),
    large: await fill(largePool, large),
  }
  const claims = { small: [] as number[], large: [] as number[] }
  const intakes = { small: [] as number[], large: [] as number[] }
  // The first statements of a connection are planned; they are no part of what grows.
  for (const table of Object.values(tables)) for (let n = 0; n < 10; n += 1) await timeBoth(table)
  for (let round = 0; round < rounds; round += 1) {
    for (const size of ['small', 'large'] as const) {
      for (let n = 0; n < timesARound; n += 1) {
        const { claimMs, intakeMs } = await timeBoth(tables[size])
        claims[size].push(claimMs)
        intakes[size].push(intakeMs)
      }
    }
  }
  return {
    figures: [
      ...beside(`claim of ${COHORT}`, claims.large, claims.small),
      ...beside('intake of one event', intakes.large, intakes.small),
    ],
    conditions: [
      `${large.toLocaleString('en')} deliveries of 1,000 sites beside ${small.toLocaleString('en')}; one in ten is due, the others are delivered.`,
      `A claim takes ${COHORT} of one site, the ones that have been due the longest, as a site worker's slot does.`,
      `${rounds * timesARound} statements of each kind, in turn, on one connection, each with its commit on disk.`,
    ],
  }
}

/**
 * Stores one event for a site, then others, and claims as many as a slot takes of those that have been due there the
 * longest. In either table so many are claimed, and as many stay due as before.
 */
async function timeBoth({ pool, accountId, sourceId, siteIds }: Filled) {
  const siteId = siteIds[Math.floor(Math.random() * siteIds.length)] as string
  const [event, ...others] = Array.from({ length: COHORT }, () =>
    incomingFor({ accountId, sourceId, siteId }),
  )
  const began = performance.now()
  await storeEvents(pool, [event as Incoming])
  const intakeMs = performance.now() - began
  await storeEvents(pool, others)
  const asked = performance.now()
  const rows = await claimNext(pool, {
    siteId,
    accountId,
    worker: 'benchmark',
    leaseS: standardTiming.leaseS,
  })
  const claimMs = performance.now() - asked
  if (rows.length !== COHORT)
    throw new Error(
      `Of ${COHORT} events just stored for site ${siteId}, or as many before, ${rows.length} were due`,
    )
  return { intakeMs, claimMs }
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
