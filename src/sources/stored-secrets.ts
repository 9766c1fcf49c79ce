import type { SealedColumn } from '../secrets/index.ts'
import { signingSecretIdentity } from './lookup.ts'
import { upstreamApiKeyIdentity } from './secrets.ts'

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
    keyring.decrypt(sealed, upstreamApiKeyIdentity(row.id as string), originOf(row)),
  seal: (keyring, row, secret) =>
    keyring.encrypt(secret, upstreamApiKeyIdentity(row.id as string), originOf(row)),
}

const originOf = ({
  upstream_base_url: address,
}: Readonly<Record<string, string | null>>): string | undefined =>
  typeof address === 'string' ? new URL(address).origin : undefined

/** The encrypted columns of sources. */
export const sourceSecrets: readonly SealedColumn[] = [signingSecret, previousSigningSecret, upstreamApiKey]
