import type { Queryable } from '../database/transaction.ts'
import type { Keyring, StoredSecret } from '../secrets/index.ts'
import { type ConnectionColumns, connectionOf } from './connection.ts'
import type { SiteId } from './site-id.ts'

// SQL, as all that a start waits for: Prisma's compiler, which nothing else needs until somebody asks something, takes
// longer to load than PostgreSQL to start.
const SELECT = `SELECT account_id AS "accountId", id, url, rest_root AS "restRoot", username,
    application_password AS "applicationPassword" FROM site`

/** The application passwords of all sites, of every account, as they are stored. */
export async function sitePasswords(database: Queryable, keyring: Keyring): Promise<StoredSecret[]> {
  const { rows } = await database.query<ConnectionColumns>(SELECT)
  return rows.map((row) => ({
    sealed: row.applicationPassword,
    of: 'sites',
    read: () => connectionOf(keyring, row),
  }))
}

/** The sites that were stopped because their password could not be read, and now can. */
export async function readableAgain(database: Queryable, keyring: Keyring): Promise<SiteId[]> {
  const { rows } = await database.query<ConnectionColumns>(
    `${SELECT} WHERE trouble ->> 'code' IN ('secret_key_missing', 'secret_unreadable')`,
  )
  return rows.flatMap((row) => {
    try {
      connectionOf(keyring, row)
      return [{ accountId: row.accountId, id: row.id }]
    } catch {
      // It waits on, with the words that its trouble has.
      return []
    }
  })
}
