import type { Pool } from 'pg'
import { inTransaction } from '../database/transaction.ts'
import { firstAccount } from './accounts.ts'
import { makeOperatorKey } from './operator-key.ts'

/** Makes another key of the first account, for somebody who has this machine and no key that opens Galley. */
export const newKey = (pool: Pool): Promise<string> =>
  inTransaction(pool, async (database) => {
    const accountId = await firstAccount(database)
    return makeOperatorKey(database, { accountId, name: 'Made with --new-key', actor: '--new-key' })
  })
