import type { SealedColumn } from '../secrets/check-keys.ts'
import { createSigningSecret } from '../secrets/keyring.ts'
import type { SourcePatch } from './schema.ts'
import { signingSecretIdentity } from './sender.ts'

/** What a source's upstream API key is bound to in the database. */
export const upstreamApiKeyIdentity = (sourceId: string): string => `source:${sourceId}:upstream_api_key`

/** The secret a request asks for: one to be made and shown, one the sender has, none, or no change. */
export function signingSecretOf(requested: SourcePatch['signing_secret']): {
  secret: string | null | undefined
  made: string | null
} {
  if (requested !== true) return { secret: requested, made: null }
  const made = createSigningSecret()
  return { secret: made, made }
}

const source = { table: 'source', key: ['id'], of: 'source' } as const

const signingSecret: SealedColumn = {
  ...source,
  column: 'signing_secret',
  identity: signingSecretIdentity,
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
  address: 'upstream_base_url',
  identity: upstreamApiKeyIdentity,
}

/** The encrypted columns of sources. */
export const sourceSecrets: readonly SealedColumn[] = [signingSecret, previousSigningSecret, upstreamApiKey]
