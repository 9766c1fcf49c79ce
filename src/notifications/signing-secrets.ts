import { Webhook } from 'standardwebhooks'
import { execute } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import type { SealedColumn } from '../secrets/check-keys.ts'
import { createSigningSecret, type Keyring } from '../secrets/keyring.ts'

/** The identity a receiver's secrets are encrypted with. */
export const receiverSecretIdentity = (id: string): string => `receiver:${id}:secret`

/** A secret in the form of Standard Webhooks, and sealed. */
export function createReceiverSecret(keyring: Keyring, id: string): { secret: string; sealed: string } {
  const secret = createSigningSecret()
  return { secret, sealed: keyring.encrypt(secret, receiverSecretIdentity(id)) }
}

const sealed: SealedColumn = {
  table: 'receiver',
  column: 'secret',
  key: ['id'],
  of: 'receiver',
  identity: receiverSecretIdentity,
}

export const receiverSecrets: readonly SealedColumn[] = [
  sealed,
  { ...sealed, column: 'previous_secret', live: 'previous_secret_until > now()' },
]

const accountSecretIdentity = (accountId: string): string => `account:${accountId}:notification_secret`

/** From the next attempt on; the old one ends at once. @returns the secret, never shown again */
export async function rotateAccountSecret(database: Queryable, keyring: Keyring, accountId: string) {
  const secret = createSigningSecret()
  await storeAccountSecret(database, accountId, keyring.encrypt(secret, accountSecretIdentity(accountId)))
  return secret
}

/** @param sealed null: from the next attempt on, nothing of this account is signed */
export const storeAccountSecret = (database: Queryable, accountId: string, sealed: string | null) =>
  execute(database, 'UPDATE account SET notification_secret = :sealed WHERE id = :accountId', {
    accountId,
    sealed,
  })

interface SignedMessage {
  id: string
  accountId: string
  /** Null for the webhook_url of a job, which the account's secret signs. */
  receiverId: string | null
  /** Those that are valid, sealed. */
  secrets: string[]
  /** When it leaves, by the database's clock: receivers refuse other times. */
  at: Date
  body: Buffer
}

/** Signed by each valid secret. @throws GalleyError `secret_key_missing`, `secret_unreadable` */
export function signatureHeaders(
  keyring: Keyring,
  { id, accountId, receiverId, secrets, at, body }: SignedMessage,
): Record<string, string> {
  const named = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) }
  const identity = receiverId === null ? accountSecretIdentity(accountId) : receiverSecretIdentity(receiverId)
  const signatures = secrets.map((sealed) =>
    new Webhook(keyring.decrypt(sealed, identity)).sign(id, at, body.toString('utf8')),
  )
  return signatures.length === 0 ? named : { ...named, 'webhook-signature': signatures.join(' ') }
}

export const notificationSecret: SealedColumn = {
  table: 'account',
  column: 'notification_secret',
  key: ['id'],
  of: 'account',
  identity: accountSecretIdentity,
}
