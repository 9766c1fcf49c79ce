import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { named } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import type { Keyring, SealedColumn } from '../secrets/index.ts'
import {
  IS_VISIBLE,
  RECEIVER_COLUMNS,
  type ReceiverKey,
  type ReceiverRow,
  receiverKindMismatch,
  receiverParameters,
  receiverRow,
  receiverView,
} from './receivers/row.ts'
import type { ReceiverView } from './receivers/schema.ts'

/** What a receiver's secret is bound to in the database; the one before it, too. */
export const receiverSecretIdentity = (id: string): string => `receiver:${id}:secret`

/** A secret as Standard Webhooks write it, and as it is stored. */
export function createReceiverSecret(keyring: Keyring, id: string): { secret: string; sealed: string } {
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
export async function rotateReceiverSecret(
  database: Queryable,
  keyring: Keyring,
  receiver: ReceiverKey,
  hours: number,
  againSince?: Date,
): Promise<ReceiverView & { secret: string }> {
  const { secret, sealed } = createReceiverSecret(keyring, receiver.id)
  const { rows } = await database.query<ReceiverRow>(
    named(ROTATE, { ...receiverParameters(receiver), sealed, hours, againSince: againSince ?? null }),
  )
  if (rows[0] !== undefined) return { ...receiverView(rows[0]), secret }
  await receiverRow(database, receiver)
  throw receiverKindMismatch('email')
}

const ROTATE = `
  UPDATE receiver SET secret = :sealed,
    previous_secret = CASE WHEN :hours::int = 0 THEN NULL
      WHEN previous_secret_until >= :againSince::timestamptz + make_interval(hours => :hours::int) THEN previous_secret
      ELSE secret END,
    previous_secret_until = CASE WHEN :hours::int > 0 AND secret IS NOT NULL THEN now() + make_interval(hours => :hours::int) END
  WHERE id = :id AND kind = 'webhook' AND ${IS_VISIBLE}
  RETURNING ${RECEIVER_COLUMNS}`

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

/** What an account's secret is bound to in the database. */
const accountSecretIdentity = (accountId: string): string => `account:${accountId}:notification_secret`

/**
 * Gives an account a secret that its notifications are signed with, from the next attempt on; the one before it, if there
 * was one, ends at once.
 *
 * @returns the secret, as Standard Webhooks write it; it is never shown again
 */
export async function rotateAccountSecret(
  database: Queryable,
  keyring: Keyring,
  accountId: string,
): Promise<string> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const sealed = keyring.encrypt(secret, accountSecretIdentity(accountId))
  await storeAccountSecret(database, accountId, sealed)
  return secret
}

/** From the next attempt on, nothing of this account is signed. */
export const removeAccountSecret = (database: Queryable, accountId: string): Promise<void> =>
  storeAccountSecret(database, accountId, null)

async function storeAccountSecret(
  database: Queryable,
  accountId: string,
  sealed: string | null,
): Promise<void> {
  await database.query(
    named('UPDATE account SET notification_secret = :sealed WHERE id = :accountId', { accountId, sealed }),
  )
}

/** Whose secret signs: those of a receiver, or that of the account for the webhook_url of a job. Encrypted. */
export type SigningKeys =
  | { receiverId: string; secrets: string[] }
  | { accountId: string; secret: string | null }

interface SignedMessage {
  id: string
  /** When it leaves, by the database's clock: a receiver refuses what is signed at another time. */
  at: Date
  body: Buffer
}

/**
 * The headers by which a receiver knows a notification again, and knows that it is from here: those of Standard Webhooks.
 * There is a signature for each secret that is valid, and none where there is no secret.
 *
 * @throws GalleyError `secret_key_missing`, `secret_unreadable`
 */
export function signatureHeaders(
  keyring: Keyring,
  signing: SigningKeys,
  { id, at, body }: SignedMessage,
): Record<string, string> {
  const named = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) }
  const signatures = signingSecretsOf(keyring, signing).map((secret) =>
    new Webhook(secret).sign(id, at, body.toString('utf8')),
  )
  return signatures.length === 0 ? named : { ...named, 'webhook-signature': signatures.join(' ') }
}

function signingSecretsOf(keyring: Keyring, signing: SigningKeys): string[] {
  if ('receiverId' in signing)
    return signing.secrets.map((sealed) =>
      keyring.decrypt(sealed, receiverSecretIdentity(signing.receiverId)),
    )
  const { accountId, secret } = signing
  return secret === null ? [] : [keyring.decrypt(secret, accountSecretIdentity(accountId))]
}

/** What an account's notifications are signed with. */
export const notificationSecret: SealedColumn = {
  table: 'account',
  column: 'notification_secret',
  key: ['id'],
  of: 'accounts',
  read: (keyring, { id }, sealed) => keyring.decrypt(sealed, accountSecretIdentity(id as string)),
  seal: (keyring, { id }, secret) => keyring.encrypt(secret, accountSecretIdentity(id as string)),
}
