import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'
import { sealedPassword } from '../../src/sites/connection.ts'

export interface BenchSite {
  url: string
  /** Ending in a slash; below `url` unless given. */
  restRoot?: string
  username?: string
  applicationPassword?: string
  concurrency?: number
  batch?: 'auto' | 'off'
}

/**
 * Connects sites past the API, which would prove the credentials of each: to the only account there is.
 *
 * @returns their ids, in order
 */
export async function addSites(
  pool: Pool,
  secretKeys: string,
  sites: readonly BenchSite[],
): Promise<string[]> {
  const keyring = openKeyring(parseSecretKeys(secretKeys, 'the benchmark'))
  const { rows: accounts } = await pool.query<{ id: string }>('SELECT id FROM account')
  const accountId = accounts[0]?.id ?? ''
  const rows = sites.map(({ url, concurrency, batch, ...site }) => {
    const id = randomUUID()
    const restRoot = site.restRoot ?? `${url}/wp-json/`
    const applicationPassword = site.applicationPassword ?? 'benchmark'
    return {
      id,
      url,
      rest_root: restRoot,
      username: site.username ?? 'benchmark',
      password: sealedPassword(keyring, { accountId, id }, { applicationPassword, restRoot }),
      // What is undefined is not written.
      settings: { concurrency, batch },
    }
  })
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, settings, updated_at)
     SELECT s.id, $2, s.url, s.url, s.rest_root, s.username, s.password, s.settings, now()
     FROM jsonb_to_recordset($1::jsonb)
       AS s(id uuid, url text, rest_root text, username text, password text, settings jsonb)`,
    [JSON.stringify(rows), accountId],
  )
  return rows.map(({ id }) => id)
}
