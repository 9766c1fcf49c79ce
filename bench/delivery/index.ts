import { join } from 'node:path'
import { Pool } from 'pg'
import { createKey } from '../../src/secrets/keys.ts'
import type { Benchmark, Result, Scale } from '../benchmark.ts'
import { startGalley } from '../support/galley.ts'
import { type Postgres, withPostgres } from '../support/postgres.ts'
import { compare } from '../support/rounds.ts'
import { addSites } from '../support/sites.ts'
import { deliverAll, TERMS } from './deliver.ts'
import { startRecorder } from './record.ts'
import { type Replayer, startReplayer } from './replay.ts'
import { removeMade } from './tidy.ts'
import { type BenchWordPress, withWordPress } from './wordpress.ts'

/** Posts under way at a time, on both sides. */
const AT_A_TIME = 4

const SCALES = {
  full: { rounds: 10, documents: 60 },
  quick: { rounds: 1, documents: 4 },
} satisfies Record<Scale, object>

export const delivery: Benchmark = {
  title: 'Delivery',
  baseline: 'a bare loop that makes the same requests over keep-alive connections',
  run: (scale) => withPostgres((postgres) => withWordPress((wordpress) => run(scale, postgres, wordpress))),
}

/** On a WordPress of the caller's; what it makes there it removes. */
export async function run(scale: Scale, postgres: Postgres, wordpress: BenchWordPress): Promise<Result> {
  const { rounds, documents } = SCALES[scale]
  const connectionString = await postgres.database()
  const secretKeys = createKey()
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ALLOW_PRIVATE: 'all',
  }
  const pool = new Pool({ connectionString, max: 2 })
  const galley = await startGalley(scale, settings, join(postgres.folder, 'galley.log'))
  const recorder = await startRecorder(wordpress.url)
  let replayer: Replayer | undefined
  try {
    const site = { ...wordpress, concurrency: AT_A_TIME }
    const [direct, recorded] = (await addSites(pool, secretKeys, [
      site,
      { ...site, restRoot: `${recorder.url}/wp-json/` },
    ])) as [string, string]
    const webhook = new URL(await galley.source(), galley.url)
    // The first one makes the terms, the second is what every further document asks for.
    await deliverAll({ pool, webhook, siteId: direct, documents: 1 })
    await deliverAll({ pool, webhook, siteId: recorded, documents: 1 })
    const loop = await startReplayer(wordpress, recorder.requests(), AT_A_TIME)
    replayer = loop
    const rate = await compare(
      rounds,
      () => loop.run(documents),
      () => deliverAll({ pool, webhook, siteId: direct, documents }),
    )
    return {
      figures: [
        {
          figure: 'posts made and filled',
          unit: 'perSecond',
          ...rate,
          target: { ratio: 'at least', limit: 0.9 },
        },
      ],
      conditions: [
        `WordPress ${wordpress.version}, ${wordpress.kind}; ${AT_A_TIME} posts at a time, ${rounds} rounds of ${documents} each, in turn.`,
        `A document has a category and a tag and no picture; the requests, as recorded: ${loop.summary}.`,
        'Galley in one process with its own PostgreSQL, from the first webhook sent to the last delivery settled; all on this machine, WordPress and its database too.',
      ],
    }
  } finally {
    await galley.stop()
    await removeMade(wordpress, pool, TERMS, replayer?.made ?? [])
    await replayer?.close()
    recorder.close()
    await pool.end()
  }
}
