import { randomBytes } from 'node:crypto'
import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { Keyring, SealedColumn } from '../../secrets/index.ts'
import { otherKind } from './failures.ts'
import {
  COLUMNS,
  IS_SEEN,
  keyOf,
  type ReceiverId,
  type ReceiverRow,
  receiverRow,
  receiverView,
} from './row.ts'
import type { ReceiverView } from './schema.ts'

/** What a receiver's secret is bound to in the database; the one before it, too. */
export const receiverSecretIdentity = (id: string): string => `receiver:${id}:secret`

/** A secret as Standard Webhooks write it, and as it is stored. */
export function newSecret(keyring: Keyring, id: string): { secret: string; sealed: string } {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  return { secret, sealed: keyring.encrypt(secret, receiverSecretIdentity(id)) }
}

/**
 * Gives a receiver another secret, shown only once. For so many hours everything is signed with the one so far as well, so
 * that who receives can change over when it suits.
 *
 * @param againSince when an earlier attempt at the same request began: of its secret nobody heard, and the one before it
 *   stays the one before
 * @throws GalleyError 404 `NOT_FOUND`; 409 `OTHER_KIND` where there is no secret
 */
export async function rotateReceiver(
  database: Queryable,
  keyring: Keyring,
  receiver: ReceiverId,
  hours: number,
  againSince?: Date,
): Promise<ReceiverView & { secret: string }> {
  const { secret, sealed } = newSecret(keyring, receiver.id)
  const { rows } = await database.query<ReceiverRow>(
    named(ROTATE, { ...keyOf(receiver), sealed, hours, againSince: againSince ?? null }),
  )
  if (rows[0] !== undefined) return { ...receiverView(rows[0]), secret }
  await receiverRow(database, receiver)
  throw otherKind('email')
}

const ROTATE = `
  UPDATE receiver SET secret = :sealed,
    previous_secret = CASE WHEN :hours::int = 0 THEN NULL
      WHEN previous_secret_until >= :againSince::timestamptz + make_interval(hours => :hours::int) THEN previous_secret
      ELSE secret END,
    previous_secret_until = CASE WHEN :hours::int > 0 AND secret IS NOT NULL THEN now() + make_interval(hours => :hours::int) END
  WHERE id = :id AND kind = 'webhook' AND ${IS_SEEN}
  RETURNING ${COLUMNS}`

const sealed: SealedColumn = {
  table: 'receiver',
  column: 'secret',
  key: ['id'],
  of: 'receivers',
  read: (keyring, { id }, secret) => keyring.decrypt(secret, receiverSecretIdentity(id as string)),
  seal: (keyring, { id }, secret) => keyring.encrypt(secret, receiverSecretIdentity(id as string)),
}

/** The encrypted columns of receivers. */
export const receiverSecrets: readonly SealedColumn[] = [
  sealed,
  { ...sealed, column: 'previous_secret', live: 'previous_secret_until > now()' },
]
