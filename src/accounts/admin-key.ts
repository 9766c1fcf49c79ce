import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import type { Logger } from '../log.ts'
import { hashToken } from '../secrets/index.ts'
import { firstAccount } from './accounts.ts'
import { makeOperatorKey } from './operator-key.ts'

const NAME = 'GALLEY_ADMIN_KEY'

/**
 * Sees that the key which the operator chose opens the first account: every start may call it. One that was revoked
 * stays so, and one that was chosen before goes on until somebody revokes it: of both a line in the log tells.
 */
export async function takeAdminKey(
  { pool }: Pick<Database, 'pool'>,
  key: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  // Mostly the key is there, and nobody needs to wait for anybody.
  const { rows } = await pool.query(
    named(`SELECT FROM api_key WHERE hash = :hash AND revoked_at IS NULL`, { hash: hashToken(key) }),
  )
  if (rows.length > 0) return
  await inTransaction(pool, (database) => take(database, key, log))
}

async function take(database: Queryable, key: string, log: Pick<Logger, 'warn'>): Promise<void> {
  const accountId = await firstAccount(database)
  const { rows: known } = await database.query<{ revoked: boolean }>(
    named('SELECT revoked_at IS NOT NULL AS revoked FROM api_key WHERE hash = :hash', {
      hash: hashToken(key),
    }),
  )
  if (known[0] !== undefined) {
    if (known[0].revoked)
      log.warn(
        `${NAME} is a key that was revoked, and no longer works. Set another one, or none. To get in: galley --new-key, or npm start -- --new-key`,
      )
    return
  }
  const { rows: before } = await database.query<{ id: string; last_four: string }>(
    named(
      `SELECT id, last_four FROM api_key
       WHERE account_id = :accountId::uuid AND name = :name AND revoked_at IS NULL`,
      { accountId, name: NAME },
    ),
  )
  await makeOperatorKey(database, { accountId, name: NAME, actor: NAME, key })
  for (const { id, last_four: lastFour } of before)
    log.warn(
      `${NAME} has changed. The one before, which ends in ${lastFour}, still opens this Galley; end it with DELETE /v1/keys/${id}`,
    )
}
