import { join } from 'node:path'
import { Pool } from 'pg'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import type { Scale } from '../benchmark.ts'
import { startGalley } from '../support/galley.ts'
import type { Postgres } from '../support/postgres.ts'
import { addSites } from '../support/sites.ts'
import { type BenchWordPress, galleyClock, type ProcessorClock, wordPressClock } from './processor.ts'

/** A Galley that runs, a WordPress, and what is needed to give them work. */
export interface Stage {
  wordpress: BenchWordPress
  pool: Pool
  /** Where webhooks go. */
  webhook: URL
  clocks: { galley: ProcessorClock; wordPress: ProcessorClock }
  /** Connects the WordPress, or what stands for it or before it. @returns the site's id */
  connect(as?: { url?: string; restRoot?: string; batch?: 'off' }): Promise<string>
}

/** Posts under way at a time, on both sides. */
export const AT_A_TIME = 4

/** A Galley in a process of its own, as it is when nobody sets anything, for `work`. */
export async function onStage<T>(
  scale: Scale,
  postgres: Postgres,
  wordpress: BenchWordPress,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const connectionString = await postgres.database()
  const secretKeys = generateSecretKey()
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ALLOW_PRIVATE: 'all',
  }
  const pool = new Pool({ connectionString, max: 1 })
  try {
    const galley = await startGalley(scale, settings, join(postgres.folder, 'galley.log'))
    try {
      return await work({
        wordpress,
        pool,
        webhook: new URL(await galley.source(), galley.url),
        clocks: { galley: await galleyClock(galley.pid, pool), wordPress: wordPressClock(wordpress.root) },
        async connect(as = {}) {
          const site = { ...wordpress, ...as, concurrency: AT_A_TIME }
          const [id] = await addSites(pool, secretKeys, [site])
          return id as string
        },
      })
    } finally {
      await galley.stop()
    }
  } finally {
    await pool.end()
  }
}
