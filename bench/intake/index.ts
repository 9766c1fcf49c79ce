import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import type { Benchmark, Result, Scale } from '../benchmark.ts'
import { startGalley } from '../support/galley.ts'
import { fullLoad, type Load, steadyLoad, withSenders } from '../support/load.ts'
import { compare, compareMedians, interleave, percentile } from '../support/rounds.ts'
import { addSites } from '../support/sites.ts'
import { articleStencil } from '../support/webhook.ts'

const SITES = 100
/** Of the senders, to Galley and to the baseline alike. */
const CONNECTIONS = 20
/** Of the baseline to PostgreSQL, as many as Galley's own pool has. */
const POOL = 20
/** Callers of the open loop, enough that none has to wait for another. */
const OPEN_LOOP_CONNECTIONS = 100

const SCALES = {
  full: { rounds: 5, seconds: 4, steadySeconds: 5, warmUpSeconds: 2 },
  quick: { rounds: 1, seconds: 0.3, steadySeconds: 0.3, warmUpSeconds: 0.1 },
} satisfies Record<Scale, object>

export const intake: Benchmark = {
  title: 'Intake',
  baseline:
    'the service that one would write in an afternoon (`bench/intake/afternoon-service.ts`): Express, `express.json`, one transaction a webhook, `INSERT … ON CONFLICT DO NOTHING` into an event and a delivery',
  run: async (scale, { folder, database }) => run(scale, folder, await database()),
}

async function run(scale: Scale, folder: string, connectionString: string): Promise<Result> {
  const { rounds, seconds, steadySeconds, warmUpSeconds } = SCALES[scale]
  const secretKeys = generateSecretKey()
  const settings = { DATABASE_URL: connectionString, GALLEY_SECRET_KEYS: secretKeys, GALLEY_ROLE: 'web' }
  const galley = await startGalley(scale, settings, join(folder, 'galley.log'))
  const afternoon = await startAfternoonService(connectionString, POOL)
  const pool = new Pool({ connectionString, max: 1 })
  try {
    const next = articleStencil(await addSites(pool, secretKeys, manySites()))
    const toGalley = { webhook: new URL(await galley.source(), galley.url), next }
    const toAfternoon = { webhook: afternoon.webhook, next }
    const full = (to: typeof toGalley, time: number) =>
      withSenders({ ...to, connections: CONNECTIONS }, (lanes) => fullLoad(lanes, time))
    const atFull = { galley: [] as Load[], afternoon: [] as Load[] }
    const rateOf = async (to: typeof toGalley, loads: Load[]) => {
      const load = await full(to, seconds)
      loads.push(load)
      return load.perSecond
    }

    await full(toAfternoon, warmUpSeconds)
    await full(toGalley, warmUpSeconds)
    const rate = await compare(
      rounds,
      () => rateOf(toAfternoon, atFull.afternoon),
      () => rateOf(toGalley, atFull.galley),
    )
    const half = { galley: rate.measured / 2, afternoon: rate.baseline / 2 }
    const steady = (to: typeof toGalley, perSecond: number) =>
      withSenders({ ...to, connections: OPEN_LOOP_CONNECTIONS }, async (lanes) => {
        await steadyLoad(lanes, { rate: perSecond, seconds: warmUpSeconds })
        return steadyLoad(lanes, { rate: perSecond, seconds: steadySeconds })
      })
    // In turn as well: a disk that stalls does so to both.
    const waiting = await interleave(rounds, {
      afternoon: async () => p99([await steady(toAfternoon, half.afternoon)]),
      same: async () => p99([await steady(toGalley, half.afternoon)]),
      own: async () => p99([await steady(toGalley, half.galley)]),
    })
    const [measured, baseline] = [p99(atFull.galley), p99(atFull.afternoon)]
    return {
      figures: [
        {
          figure: 'webhooks acknowledged and stored',
          unit: 'perSecond',
          ...rate,
          target: { ratio: 'at least', limit: 2 },
        },
        {
          figure: 'p99 at that rate',
          unit: 'milliseconds',
          measured,
          baseline,
          ratio: measured / baseline,
          target: null,
        },
        {
          figure: `p99 at ${Math.round(half.afternoon)}/s, half of what the baseline can, in an open loop`,
          unit: 'milliseconds',
          ...compareMedians(waiting.same, waiting.afternoon),
          target: { ratio: 'at most', limit: 1 },
        },
        {
          figure: `p99 at half of what each can, ${Math.round(half.galley)}/s beside ${Math.round(half.afternoon)}/s`,
          unit: 'milliseconds',
          ...compareMedians(waiting.own, waiting.afternoon),
          target: { ratio: 'at most', limit: 1 },
        },
      ],
      conditions: [
        `The same PostgreSQL, the same senders on ${CONNECTIONS} keep-alive connections, and distinct documents of ${(next().length / 1_000).toFixed(1)} kB for ${SITES} sites; the baseline has ${POOL} connections to PostgreSQL.`,
        `Medians of ${rounds} rounds of ${seconds} s, in turn with the baseline; the open loop runs ${steadySeconds} s on ${OPEN_LOOP_CONNECTIONS} connections, after ${warmUpSeconds} s that do not count. At half of what Galley can, the baseline would be close to its most.`,
        'Galley runs with GALLEY_ROLE=web, so that nothing is delivered meanwhile, and writes its log at level info. The baseline writes none, knows no source, signature or limit but one of 10 MB, and reads nothing of the document.',
        'Senders, Galley, baseline and PostgreSQL have a process each, all on this machine.',
      ],
    }
  } finally {
    await pool.end()
    await afternoon.stop()
    await galley.stop()
  }
}

const p99 = (loads: readonly Load[]): number =>
  percentile(
    loads.flatMap(({ latencies }) => latencies),
    0.99,
  )

const manySites = () => Array.from({ length: SITES }, (_, n) => ({ url: `https://site-${n}.example` }))

/** The afternoon's service, in a process of its own as Galley is. */
export interface AfternoonService {
  webhook: URL
  stop(): Promise<void>
}

const program = fileURLToPath(new URL('./afternoon-service.ts', import.meta.url))

/** @param connections to PostgreSQL at most */
export async function startAfternoonService(
  connectionString: string,
  connections: number,
): Promise<AfternoonService> {
  const child = fork(program, {
    execArgv: ['--import', 'tsx'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATABASE_URL: connectionString,
      POOL_SIZE: String(connections),
    },
  })
  const ended = once(child, 'exit')
  const [address] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`The afternoon's service ended with ${code} before it listened`)
    }),
  ])) as [AddressInfo]
  return {
    webhook: new URL(`http://127.0.0.1:${address.port}/webhooks`),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
