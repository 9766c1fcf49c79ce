import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import { inTransaction } from '../database/transaction.ts'
import { firstAccount } from './accounts.ts'
import { enterAction } from './audit/enter.ts'
import { grantCredits } from './credits.ts'

/**
 * Gives the first account credits and a limit, or takes its limit away: for whoever runs this Galley, since no account may
 * do that for itself.
 */
export async function setCredits(
  { pool }: Pick<Database, 'pool'>,
  requested: number | 'unlimited',
): Promise<{ credits: number; unlimited: boolean }> {
  return inTransaction(pool, async (database) => {
    const id = await firstAccount(database)
    if (requested !== 'unlimited')
      await grantCredits(database, { accountId: id, amount: requested, note: 'Given with --credits' })
    const details = requested === 'unlimited' ? { unlimited: true } : { unlimited: false, amount: requested }
    const by = { actor: '--credits' }
    await enterAction(database, {
      accountId: id,
      by,
      action: 'account.grant_credits',
      subjectId: id,
      details,
    })
    const { rows } = await database.query<{ credits: number; unlimited: boolean }>(
      named('UPDATE account SET unlimited = :unlimited WHERE id = :id::uuid RETURNING credits, unlimited', {
        id,
        unlimited: requested === 'unlimited',
      }),
    )
    return rows[0] as { credits: number; unlimited: boolean }
  })
}
