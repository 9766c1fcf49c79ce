import type { Source } from '../database/generated/client.ts'
import type { SealedColumn } from '../secrets/check-keys.ts'
import { createSigningSecret, type Keyring } from '../secrets/keyring.ts'
import type { SourcePatch } from './schema.ts'
import { signingSecretIdentity } from './sender.ts'

/** What a source's upstream API key is bound to in the database. */
export const upstreamApiKeyIdentity = (sourceId: string): string => `source:${sourceId}:upstream_api_key`

/** The secret a request asks for, sealed: one to be made and shown, one the sender has, none, or no change. */
export function sealSigningSecret(keyring: Keyring, id: string, requested: SourcePatch['signing_secret']) {
  const made = requested === true ? createSigningSecret() : null
  const secret = made ?? requested
  const sealed = typeof secret === 'string' ? keyring.encrypt(secret, signingSecretIdentity(id)) : null
  return { made, signingSecret: requested === undefined ? undefined : sealed }
}

const source = { table: 'source', key: ['id'], of: 'source' } as const

const signingSecret: SealedColumn = { ...source, column: 'signing_secret', identity: signingSecretIdentity }

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

// What was replaced stays valid for a while beside what replaced it, so that a sender can change over without a pause.

const DEFAULT_OVERLAP_HOURS = 24
const HOUR_MS = 3_600_000

const hoursFromNow = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS)

/** What has ended does not come back by being asked for. */
export const unexpired = (until: Date | null): Date | null =>
  until !== null && until.getTime() > Date.now() ? until : null

type SecretColumns = Pick<Source, 'signingSecret' | 'previousSigningSecret' | 'previousSecretUntil'>

/** The columns of the previous secret after a change: the current one moves there. A source without a secret has no previous one. */
export function previousSecretColumns(
  stored: SecretColumns,
  { signing_secret: requested, previous_secret_hours: hours }: SourcePatch,
): Partial<SecretColumns> {
  if (requested === undefined && hours === undefined) return {}
  const before = unexpired(stored.previousSecretUntil) && stored.previousSigningSecret
  const previous = requested === undefined ? before : stored.signingSecret
  const wanted = hours ?? DEFAULT_OVERLAP_HOURS
  if (requested === null || wanted === 0 || previous === null)
    return { previousSigningSecret: null, previousSecretUntil: null }
  return { previousSigningSecret: previous, previousSecretUntil: hoursFromNow(wanted) }
}

/** The columns of the address before the last rotation after a change of how long it works. */
export function previousAddressColumns(
  { previousTokenUntil }: Pick<Source, 'previousTokenUntil'>,
  { previous_address_hours: hours }: SourcePatch,
) {
  if (hours === undefined) return {}
  if (hours === 0 || unexpired(previousTokenUntil) === null)
    return { previousTokenHash: null, previousTokenUntil: null }
  return { previousTokenUntil: hoursFromNow(hours) }
}
