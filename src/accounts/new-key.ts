import type { PrismaClient } from '../database/index.ts'
import { firstAccount } from './accounts.ts'
import { createKey } from './keys.ts'

/** Makes another key of the first account, for somebody who has this machine and no key that opens Galley. */
export const newKey = (prisma: PrismaClient): Promise<string> =>
  prisma.$transaction(async (transaction) => {
    const { id: accountId } = await firstAccount(transaction)
    const { key } = await createKey(transaction, { accountId, name: 'Made with --new-key', role: 'operator' })
    return key
  })
