import { Pool } from 'pg'
import { COHORT, claimNext } from '../../src/delivery/ledger/claim.ts'
import { storeEvents } from '../../src/intake/store.ts'
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
      ...figures(`claim of ${COHORT}`, 'cohort'),
      ...figures('intake of one event', 'intake'),
    ],
    conditions: [
      `${large.toLocaleString('en')} deliveries of 1,000 sites beside ${small.toLocaleString('en')}; one in ten is due, the others are delivered.`,
      `A claim takes those of a site that have been due the longest: ${COHORT}, as a site worker's slot does, or one.`,
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
  await store(COHORT)
  return { intake, one, cohort: await claim(COHORT) }
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
