import { join } from 'node:path'
import { Pool } from 'pg'
import { createApiKey } from '../../src/secrets/index.ts'
import { createKey } from '../../src/secrets/keys.ts'
import type { Scale } from '../benchmark.ts'
import { arrived, type Mailing } from '../fairness/send.ts'
import { type Sites, startSites } from '../simulator/sites.ts'
import { type GalleyProcess, startGalley } from '../support/galley.ts'
import type { Postgres } from '../support/postgres.ts'
import { addSites } from '../support/sites.ts'

/** A Galley with two accounts: one whose documents are delivered all the while, one that does many things at once. */
export interface Stage {
  pool: Pool
  galley: GalleyProcess
  /** API keys. */
  others: string
  bulk: string
  secretKeys: string
  /** Of the account that does many things at once. */
  bulkAccount: string
  /** The path that the others' webhooks go to, and their sites. */
  webhook: string
  siteIds: readonly string[]
  mailing: Mailing
  /** The process ends at once, and another begins. */
  killed(): Promise<void>
  close(): Promise<void>
}

/** Sites of the account whose documents are delivered. */
const SITES = 20

export async function startStage(scale: Scale, postgres: Postgres): Promise<Stage> {
  const mailing: Mailing = { sentAt: new Map(), postedAfterMs: [] }
  const sites: Sites = await startSites(SITES, (documentId) => arrived(mailing, documentId))
  const connectionString = await postgres.database()
  const [secretKeys, others] = [createKey(), createApiKey()]
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ALLOW_PRIVATE: '127.0.0.1',
    GALLEY_ADMIN_KEY: others,
  }
  const start = () => startGalley(scale, settings, join(postgres.folder, 'galley.log'))
  const pool = new Pool({ connectionString, max: 1 })
  const galley = await start()
  const siteIds = await addSites(
    pool,
    secretKeys,
    sites.urls.map((url) => ({ url })),
  )
  const source = await ask<{ data: { url: string } }>(galley, others, 'POST', '/v1/sources', {
    name: 'benchmark',
  })
  const account = await ask<{ id: string; data: { key: string } }>(galley, others, 'POST', '/v1/accounts', {
    name: 'bulk',
  })
  const stage: Stage = {
    ...{ pool, galley, others, secretKeys },
    bulk: account.data.key,
    bulkAccount: account.id,
    webhook: new URL(source.data.url).pathname,
    siteIds,
    mailing,
    async killed() {
      await stage.galley.kill()
      stage.galley = await start()
    },
    async close() {
      sites.close()
      await stage.galley.kill()
      await pool.end()
    },
  }
  return stage
}

/** What the API answers. @throws where it refuses */
export async function ask<Answer>(
  { url }: Pick<GalleyProcess, 'url'>,
  key: string,
  method: string,
  path: string,
  body?: object | string,
): Promise<Answer> {
  const isText = typeof body === 'string'
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': isText ? 'text/csv' : 'application/json' }),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}
