import type { Prisma } from '../database/generated/client.ts'
import type { Database } from '../database/index.ts'
import { hashToken } from '../secrets/index.ts'
import { createAccount } from './accounts.ts'
import { createKey } from './keys.ts'

/** Any number that nothing else in this database locks: "galley" on a telephone's keys. */
const BOOTSTRAP_LOCK = 425539

/**
 * Makes sure that somebody can get in: the first account, and its first key. Processes that start at once take
 * turns, so that there is one of each. Every start may call it.
 *
 * @param adminKey a key the operator chose. It is added to the first account where nobody has it yet; one that was
 *   revoked stays so.
 * @returns `newKey` where a key was made and somebody must be shown it; it cannot be read again.
 */
export function bootstrapAccount(
  { prisma }: Pick<Database, 'prisma'>,
  { adminKey }: { adminKey?: string | undefined } = {},
): Promise<{ accountId: string; newKey?: string }> {
  return prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`
    const first = await transaction.account.findFirst({ orderBy: { id: 'asc' } })
    if (first !== null) {
      if (adminKey !== undefined) await addAdminKey(transaction, first.id, adminKey)
      return { accountId: first.id }
    }
    const { account, key } = await createAccount(transaction, { name: 'First account', key: adminKey })
    return adminKey === undefined ? { accountId: account.id, newKey: key } : { accountId: account.id }
  })
}

async function addAdminKey(
  transaction: Prisma.TransactionClient,
  accountId: string,
  key: string,
): Promise<void> {
  const known = await transaction.apiKey.findUnique({ where: { hash: hashToken(key) } })
  if (known === null) await createKey(transaction, { accountId, name: 'GALLEY_ADMIN_KEY', key })
}
