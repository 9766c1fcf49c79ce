import { v7 as uuid } from 'uuid'
import type { Account, Prisma } from '../database/generated/client.ts'
import { createApiKey } from '../secrets/index.ts'
import { keyFields } from './keys.ts'

/** Makes an account and its first key, both or neither; the key is returned this once. */
export async function createAccount(
  prisma: Prisma.TransactionClient,
  { name, key = createApiKey() }: { name: string; key?: string | undefined },
): Promise<{ account: Account; key: string }> {
  const keys = { create: keyFields('First key', key) }
  const account = await prisma.account.create({ data: { id: uuid(), name, keys } })
  return { account, key }
}

/** Any number that nothing else in this database locks: "galley" on a telephone's keys. */
const FIRST_ACCOUNT_LOCK = 425539

/**
 * The first account, made where there is none. Whoever asks at the same time waits for the end of this transaction, so
 * that there is one of each: account and first key.
 */
export async function firstAccount(transaction: Prisma.TransactionClient): Promise<Account> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`
  const first = await transaction.account.findFirst({ orderBy: { id: 'asc' } })
  return first ?? transaction.account.create({ data: { id: uuid(), name: 'First account' } })
}
