import { v7 as uuid } from 'uuid'
import type { Account, Prisma } from '../database/generated/client.ts'
import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
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

/** The name of an account that nobody has named: it is made by itself, before anybody could. */
export const UNNAMED = 'First account'

/** Any number that nothing else in this database locks: "galley" on a telephone's keys. */
const FIRST_ACCOUNT_LOCK = 425539

/**
 * The first account, made where there is none. Whoever asks at the same time waits for the end of this transaction, so
 * that there is one of each: account and first key.
 *
 * @param database in a transaction
 * @returns its id
 */
export async function firstAccount(database: Queryable): Promise<string> {
  await database.query(named('SELECT pg_advisory_xact_lock(:lock::bigint)', { lock: FIRST_ACCOUNT_LOCK }))
  const { rows } = await database.query<{ id: string }>('SELECT id FROM account ORDER BY id LIMIT 1')
  const id = rows[0]?.id ?? uuid()
  if (rows.length === 0)
    await database.query(
      named('INSERT INTO account (id, name) VALUES (:id::uuid, :name::text)', { id, name: UNNAMED }),
    )
  return id
}
