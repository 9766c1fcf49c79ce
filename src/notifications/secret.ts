import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
import type { Keyring, SealedColumn } from '../secrets/index.ts'
import { receiverSecretIdentity } from './receivers/secret.ts'

/** What an account's secret is bound to in the database. */
const identityOf = (accountId: string): string => `account:${accountId}:notification_secret`

/**
 * Gives an account a secret that its notifications are signed with, from the next attempt on; the one before it, if there
 * was one, ends at once.
 *
 * @returns the secret, as Standard Webhooks write it; it is never shown again
 */
export async function makeSecret(database: Queryable, keyring: Keyring, accountId: string): Promise<string> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const sealed = keyring.encrypt(secret, identityOf(accountId))
  await store(database, accountId, sealed)
  return secret
}

/** From the next attempt on, nothing of this account is signed. */
export const removeSecret = (database: Queryable, accountId: string): Promise<void> =>
  store(database, accountId, null)

async function store(database: Queryable, accountId: string, sealed: string | null): Promise<void> {
  await database.query(
    named('UPDATE account SET notification_secret = :sealed WHERE id = :accountId', { accountId, sealed }),
  )
}

/** Whose secret signs: those of a receiver, or that of the account for the webhook_url of a job. Encrypted. */
export type Signing = { receiverId: string; secrets: string[] } | { accountId: string; secret: string | null }

interface Message {
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
  signing: Signing,
  { id, at, body }: Message,
): Record<string, string> {
  const named = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) }
  const signatures = secretsOf(keyring, signing).map((secret) =>
    new Webhook(secret).sign(id, at, body.toString('utf8')),
  )
  return signatures.length === 0 ? named : { ...named, 'webhook-signature': signatures.join(' ') }
}

function secretsOf(keyring: Keyring, signing: Signing): string[] {
  if ('receiverId' in signing)
    return signing.secrets.map((sealed) =>
      keyring.decrypt(sealed, receiverSecretIdentity(signing.receiverId)),
    )
  const { accountId, secret } = signing
  return secret === null ? [] : [keyring.decrypt(secret, identityOf(accountId))]
}

/** What an account's notifications are signed with. */
export const notificationSecret: SealedColumn = {
  table: 'account',
  column: 'notification_secret',
  key: ['id'],
  of: 'accounts',
  read: (keyring, { id }, sealed) => keyring.decrypt(sealed, identityOf(id as string)),
  seal: (keyring, { id }, secret) => keyring.encrypt(secret, identityOf(id as string)),
}
