import { join } from 'node:path'
import { Pool } from 'pg'
import { createKey } from '../../src/secrets/keys.ts'
import type { Benchmark, Result, Scale } from '../benchmark.ts'
import { startGalley } from '../support/galley.ts'
import { fullLoad, type Load, steadyLoad } from '../support/load.ts'
import { withPostgres } from '../support/postgres.ts'
import { compare } from '../support/rounds.ts'
import { withSenders } from '../support/senders.ts'
import { addSites } from '../support/sites.ts'
import { percentile } from '../support/statistics.ts'
import { articleStencil } from '../support/webhook.ts'
import { openBaseline } from './baseline.ts'

const SITES = 100
/** Connections of the senders to Galley, and of the baseline to PostgreSQL; as many as Galley's own pool has. */
const CONNECTIONS = 20
/** Callers of the open loop, enough that none has to wait for another. */
const OPEN_LOOP_CONNECTIONS = 100

const SCALES = {
  full: { rounds: 5, seconds: 4, steadySeconds: 5, warmUpSeconds: 2 },
  quick: { rounds: 1, seconds: 0.3, steadySeconds: 0.3, warmUpSeconds: 0.1 },
} satisfies Record<Scale, object>

export const intake: Benchmark = {
  title: 'Intake',
  baseline: 'a bare INSERT … COMMIT of body and digest, a row a transaction, on as many connections',
  run: (scale) => withPostgres(async ({ folder, database }) => run(scale, folder, await database())),
}

async function run(scale: Scale, folder: string, connectionString: string): Promise<Result> {
  const { rounds, seconds, steadySeconds, warmUpSeconds } = SCALES[scale]
  const secretKeys = createKey()
  const settings = { DATABASE_URL: connectionString, GALLEY_SECRET_KEYS: secretKeys, GALLEY_ROLE: 'web' }
  const galley = await startGalley(scale, settings, join(folder, 'galley.log'))
  const pool = new Pool({ connectionString, max: 1 })
  try {
    const next = articleStencil(await addSites(pool, secretKeys, manySites()))
    const webhook = new URL(await galley.source(), galley.url)
    const baseline = await openBaseline(connectionString, CONNECTIONS, next)
    const sending = { webhook, next, connections: CONNECTIONS }
    const atFull: Load[] = []
    const full = (time: number) => withSenders(sending, (lanes) => fullLoad(lanes, time))

    await fullLoad(baseline.lanes, warmUpSeconds)
    await full(warmUpSeconds)
    const rate = await compare(
      rounds,
      async () => (await fullLoad(baseline.lanes, seconds)).perSecond,
      async () => {
        const load = await full(seconds)
        atFull.push(load)
        return load.perSecond
      },
    )
    const half = { rate: rate.measured / 2, seconds: steadySeconds }
    const steady = async (lanes: Lanes) => {
      await steadyLoad(lanes, { ...half, seconds: warmUpSeconds })
      return steadyLoad(lanes, half)
    }
    // In turn as well: a disk that stalls does so to both.
    const waiting = await compare(
      rounds,
      async () => p99(await steady(baseline.lanes)),
      async () => p99(await withSenders({ ...sending, connections: OPEN_LOOP_CONNECTIONS }, steady)),
    )
    await baseline.close()
    return {
      figures: [
        {
          figure: 'webhooks acknowledged and stored',
          unit: 'perSecond',
          ...rate,
          target: { ratio: 'at least', limit: 0.7 },
        },
        {
          figure: 'p99 at that rate',
          unit: 'milliseconds',
          measured: p99({ latencies: atFull.flatMap(({ latencies }) => latencies) }),
          baseline: null,
          ratio: null,
          target: null,
        },
        {
          figure: `p99 at half of it, ${Math.round(half.rate)}/s in an open loop`,
          unit: 'milliseconds',
          ...waiting,
          target: { measured: 'below', limit: 50 },
        },
      ],
      conditions: [
        `${CONNECTIONS} keep-alive connections; distinct documents of ${(next().length / 1_000).toFixed(1)} kB for ${SITES} sites; log level info.`,
        `Medians of ${rounds} rounds, in turn with the baseline; the open loop runs ${steadySeconds} s on ${OPEN_LOOP_CONNECTIONS} connections, after ${warmUpSeconds} s that do not count.`,
        'GALLEY_ROLE=web, so that nothing is delivered meanwhile: the pumps are measured by themselves.',
        'Senders and baseline share one process; Galley and PostgreSQL have their own, all on this machine.',
      ],
    }
  } finally {
    await pool.end()
    await galley.stop()
  }
}

type Lanes = Parameters<typeof steadyLoad>[0]

const p99 = ({ latencies }: Pick<Load, 'latencies'>): number => percentile(latencies, 0.99)

const manySites = () => Array.from({ length: SITES }, (_, n) => ({ url: `https://site-${n}.example` }))
