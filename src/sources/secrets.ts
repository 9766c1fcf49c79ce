import { randomBytes } from 'node:crypto'
import type { Keyring } from '../secrets/index.ts'
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
