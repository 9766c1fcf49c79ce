import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import { GalleyError } from '../errors.ts'
import type { Keyring } from '../secrets/index.ts'
import { passwordOf, sealedPassword } from './connection.ts'

/**
 * Binds the passwords of sites that an older version has stored to the origins they were given for. One that cannot be
 * read stays as it is: its key may come back.
 *
 * @returns how many were bound
 */
export async function bindPasswords({ pool }: Pick<Database, 'pool'>, keyring: Keyring): Promise<number> {
  const { rows: unbound } = await pool.query<Parameters<typeof passwordOf>[1]>(
    `SELECT account_id AS "accountId", id, rest_root AS "restRoot", application_password AS "applicationPassword"
     FROM site WHERE application_password LIKE 'v1.%'`,
  )
  let bound = 0
  for (const row of unbound) {
    const sealed = resealed(keyring, row)
    if (sealed === null) continue
    // Not where it has been connected anew since it was read.
    const { rowCount } = await pool.query(
      named(
        `UPDATE site SET application_password = :sealed
         WHERE account_id = :accountId AND id = :id AND application_password = :applicationPassword`,
        { accountId: row.accountId, id: row.id, applicationPassword: row.applicationPassword, sealed },
      ),
    )
    bound += rowCount ?? 0
  }
  return bound
}

function resealed(keyring: Keyring, row: Parameters<typeof passwordOf>[1]): string | null {
  try {
    const { restRoot } = row
    return sealedPassword(keyring, row, { restRoot, applicationPassword: passwordOf(keyring, row) })
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}
