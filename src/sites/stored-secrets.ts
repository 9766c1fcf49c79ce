import type { Queryable } from '../database/transaction.ts'
import type { Keyring, SealedColumn, SealedRow } from '../secrets/index.ts'
import { type ConnectionColumns, connectionOf, passwordOf, sealedPassword } from './connection.ts'
import type { SiteId } from './site-id.ts'

// SQL, as all that a start waits for: Prisma's compiler, which nothing else needs until somebody asks something, takes
// longer to load than PostgreSQL to start.
const SELECT = `SELECT account_id AS "accountId", id, url, rest_root AS "restRoot", username,
    application_password AS "applicationPassword" FROM site`

/** The application passwords of sites, each bound to its row and to the origin of its REST root. */
export const sitePassword: SealedColumn = {
  table: 'site',
  column: 'application_password',
  key: ['account_id', 'id'],
  beside: ['rest_root'],
  of: 'sites',
  read: (keyring, row, applicationPassword) => passwordOf(keyring, { ...placeOf(row), applicationPassword }),
  seal: (keyring, row, applicationPassword) =>
    sealedPassword(keyring, placeOf(row), { restRoot: placeOf(row).restRoot, applicationPassword }),
}

const placeOf = (row: SealedRow) => ({
  accountId: row.account_id as string,
  id: row.id as string,
  restRoot: row.rest_root as string,
})

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
