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

/** The identity a receiver's secrets are encrypted with. */
export const receiverSecretIdentity = (id: string): string => `receiver:${id}:secret`

/** A secret in the form of Standard Webhooks, and sealed. */
export function createReceiverSecret(keyring: Keyring, id: string): { secret: string; sealed: string } {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  return { secret, sealed: keyring.encrypt(secret, receiverSecretIdentity(id)) }
}

/**
 * Replaces a receiver's secret; the new one is shown once. For so many hours both sign, so that the
 * receiver can change over.
 *
 * @param againSince when an earlier attempt at the same request began: its secret was shown to
 * nobody, and the one before it stays the previous one
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

export const receiverSecrets: readonly SealedColumn[] = [
  sealed,
  { ...sealed, column: 'previous_secret', live: 'previous_secret_until > now()' },
]

const accountSecretIdentity = (accountId: string): string => `account:${accountId}:notification_secret`

/**
 * Sets a new signing secret for an account's notifications from the next attempt on; the old one
 * ends at once.
 *
 * @returns the secret in the form of Standard Webhooks; never shown again
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

/** Sealed secrets of a receiver, or of the account for a job's webhook_url. */
export type SigningKeys =
  | { receiverId: string; secrets: string[] }
  | { accountId: string; secret: string | null }

interface SignedMessage {
  id: string
  /** When it leaves, by the database's clock: receivers refuse other times. */
  at: Date
  body: Buffer
}

/**
 * The headers of Standard Webhooks, with a signature for each valid secret.
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

export const notificationSecret: SealedColumn = {
  table: 'account',
  column: 'notification_secret',
  key: ['id'],
  of: 'accounts',
  read: (keyring, { id }, sealed) => keyring.decrypt(sealed, accountSecretIdentity(id as string)),
  seal: (keyring, { id }, secret) => keyring.encrypt(secret, accountSecretIdentity(id as string)),
}
