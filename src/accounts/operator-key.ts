import { v7 as uuid } from 'uuid'
import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
import { createApiKey, hashToken } from '../secrets/index.ts'
import { enterAction } from './audit/enter.ts'

interface OperatorKeyToMake {
  accountId: string
  name: string
  /** Who makes it, as the audit log names them: no key does. */
  actor: string
  /** A key the operator chose; made where left out. */
  key?: string | undefined
}

/**
 * Makes an operator's key, for whoever runs this Galley, and enters it into the audit log. In SQL, since a start may make
 * one: Prisma would take half of its time.
 *
 * @param database in a transaction
 * @returns the key, this once: only its hash is kept
 */
export async function makeOperatorKey(
  database: Queryable,
  { accountId, name, actor, key = createApiKey() }: OperatorKeyToMake,
): Promise<string> {
  const id = uuid()
  await database.query(
    named(
      `INSERT INTO api_key (id, account_id, name, hash, last_four, role)
       VALUES (:id::uuid, :accountId::uuid, :name::text, :hash::text, :lastFour::text, 'operator')`,
      { id, accountId, name, hash: hashToken(key), lastFour: key.slice(-4) },
    ),
  )
  const details = { name, role: 'operator' }
  await enterAction(database, { accountId, by: { actor }, action: 'key.create', subjectId: id, details })
  return key
}
