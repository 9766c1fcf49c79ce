import { randomBytes } from 'node:crypto'
import type { Keyring, SealedColumn } from '../secrets/index.ts'
import { signingSecretIdentity } from './lookup.ts'
import type { NewSource, SourcePatch } from './schema.ts'

/** What a source's upstream API key is bound to in the database. */
export const upstreamApiKeyIdentity = (sourceId: string): string => `source:${sourceId}:upstream_api_key`

/** A signing secret as Standard Webhooks write it. */
const createSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** The secret a request asks for: one to be made and shown, one the sender has, none, or no change. */
export function signingSecretOf(requested: SourcePatch['signing_secret']): {
  secret: string | null | undefined
  made: string | null
} {
  if (requested !== true) return { secret: requested, made: null }
  const made = createSigningSecret()
  return { secret: made, made }
}

/** The columns that a request sets; a secret is encrypted, bound to its row and column. */
export function sourceColumns(
  keyring: Keyring,
  id: string,
  requested: Partial<NewSource> | SourcePatch,
  signingSecret: string | null | undefined,
) {
  const encrypted = (secret: string | null | undefined, identity: string) =>
    typeof secret === 'string' ? keyring.encrypt(secret, identity) : secret
  return {
    name: requested.name,
    signingSecret: encrypted(signingSecret, signingSecretIdentity(id)),
  }
}

const source = { table: 'source', key: ['id'], of: 'sources' } as const

/** What a sender signs with. */
const signingSecret: SealedColumn = {
  ...source,
  column: 'signing_secret',
  read: (keyring, { id }, sealed) => keyring.decrypt(sealed, signingSecretIdentity(id as string)),
  seal: (keyring, { id }, secret) => keyring.encrypt(secret, signingSecretIdentity(id as string)),
}

/** What it signed with before: it was moved here from the other column, and is bound to that one. */
const previousSigningSecret: SealedColumn = {
  ...signingSecret,
  column: 'previous_signing_secret',
  live: 'previous_secret_until > now()',
}

/** A key for the upstream, bound to the origin of its address. */
const upstreamApiKey: SealedColumn = {
  ...source,
  column: 'upstream_api_key',
  beside: ['upstream_base_url'],
  read: (keyring, row, sealed) =>
    keyring.decrypt(sealed, upstreamApiKeyIdentity(row.id as string), secretOrigin(row)),
  seal: (keyring, row, secret) =>
    keyring.encrypt(secret, upstreamApiKeyIdentity(row.id as string), secretOrigin(row)),
}

const secretOrigin = ({
  upstream_base_url: address,
}: Readonly<Record<string, string | null>>): string | undefined =>
  typeof address === 'string' ? new URL(address).origin : undefined

/** The encrypted columns of sources. */
export const sourceSecrets: readonly SealedColumn[] = [signingSecret, previousSigningSecret, upstreamApiKey]
