import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { type Sites, startSites } from '../../../bench/support/simulator.ts'
import { addSites } from '../../../bench/support/sites.ts'
import type { Config } from '../../../src/config/config.ts'
import type { Timing } from '../../../src/jobs/heartbeat.ts'
import type { Logger } from '../../../src/log/log.ts'
import { generateSecretKey } from '../../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database/fresh-database.ts'
import { startTestGalley, type TestGalley, webhookPath } from '../../support/galley.ts'
import { type FaultProxy, startFaultProxy } from '../../support/proxy/index.ts'
import { completed } from '../../support/webhooks.ts'
import { quickTiming } from './timing.ts'

/** A Galley and simulated sites, for what happens between Galley and its database; each site behind a proxy. */
export interface SimulatedStage {
  galley: TestGalley
  database: FreshDatabase
  pool: Pool
  sites: { id: string; proxy: FaultProxy }[]
  /**
   * Sends as a sender does: again after a 503. The second answer is 200 where the first webhook was stored all the same.
   *
   * @returns the id of the document
   */
  send(siteId: string, requested?: Parameters<typeof completed>[0]): Promise<string>
  close(): Promise<void>
}

interface Requested {
  sites?: number
  concurrency?: number
  timing?: Partial<Timing>
  config?: Partial<Config>
  log?: Logger
  /** By which Galley reaches the database, where it is not the database's own. */
  through?: (connectionString: string) => Promise<string>
}

export async function startSimulated({
  sites: count = 1,
  concurrency = 1,
  timing = {},
  config = {},
  log,
  through = async (own) => own,
}: Requested = {}): Promise<SimulatedStage> {
  const database = await freshDatabase()
  const secretKeys = config.secretKeys ?? generateSecretKey()
  const galley = await startTestGalley(
    { secretKeys, ...config },
    { ...database, connectionString: await through(database.connectionString) },
    { ...quickTiming, ...timing },
    log,
  )
  const pool = new Pool({ connectionString: database.connectionString, max: 4 })
  pool.on('error', () => undefined)
  const simulator: Sites = await startSites(count, () => undefined)
  const proxies = await Promise.all(simulator.urls.map((url) => startFaultProxy(url)))
  const ids = await addSites(
    pool,
    secretKeys,
    proxies.map(({ url }) => ({ url, concurrency })),
  )
  const webhook = await webhookPath(galley)
  return {
    galley,
    database,
    pool,
    sites: proxies.map((proxy, index) => ({ id: ids[index] as string, proxy })),
    async send(siteId, requested = {}) {
      const document = completed({ id: randomUUID(), siteId, ...requested })
      const post = async () => (await galley.call('POST', webhook, document)).status
      let status = await post()
      while (status === 503) {
        await sleep(100)
        status = await post()
      }
      if (status !== 202 && status !== 200) throw new Error(`${document.id} was answered ${status}`)
      return document.id
    },
    async close() {
      await galley.stop()
      for (const proxy of proxies) await proxy.close()
      simulator.close()
      await pool.end()
      await database.drop()
    },
  }
}
