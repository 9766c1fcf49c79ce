import type { PrismaClient } from '../database/index.ts'
import { firstAccount } from './accounts.ts'
import { enterDeedOf } from './audit/enter.ts'
import { createKey } from './keys.ts'

/** Makes another key of the first account, for somebody who has this machine and no key that opens Galley. */
export const newKey = (prisma: PrismaClient): Promise<string> =>
  prisma.$transaction(async (transaction) => {
    const { id: accountId } = await firstAccount(transaction)
    const name = 'Made with --new-key'
    const { key, id } = await createKey(transaction, { accountId, name, role: 'operator' })
    const details = { name, role: 'operator' }
    await enterDeedOf(transaction, '--new-key', { accountId, action: 'key.create', subjectId: id, details })
    return key
  })
