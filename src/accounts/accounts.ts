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
