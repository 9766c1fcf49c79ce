import { randomBytes } from 'node:crypto'
import type { Source } from '../database/generated/client.ts'
import type { Keyring } from '../secrets/index.ts'
import { signingSecretIdentity } from './lookup.ts'
import type { NewSource, SourcePatch } from './schema.ts'

/** What a source's upstream API key is bound to in the database. */
export const upstreamApiKeyIdentity = (sourceId: string): string => `source:${sourceId}:upstream_api_key`

/** A signing secret as Standard Webhooks write it. */
const createSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** The secret a request asks for: one to be made and shown, one the sender has, none, or no change. */
export function signingSecretOf(wish: SourcePatch['signing_secret']): {
  secret: string | null | undefined
  made: string | null
} {
  if (wish !== true) return { secret: wish, made: null }
  const made = createSigningSecret()
  return { secret: made, made }
}

/** The columns that a request sets; a secret is encrypted, bound to its row and column. */
export function sourceColumns(
  keyring: Keyring,
  id: string,
  wish: Partial<NewSource> | SourcePatch,
  signingSecret: string | null | undefined,
) {
  const encrypted = (secret: string | null | undefined, identity: string) =>
    typeof secret === 'string' ? keyring.encrypt(secret, identity) : secret
  return {
    name: wish.name,
    signingSecret: encrypted(signingSecret, signingSecretIdentity(id)),
  }
}

/** Hours that the secret so far stays valid beside a new one, so that a sender can change over without a pause. */
const PREVIOUS_HOURS = 24
const HOUR_MS = 3_600_000

/** What becomes of the secret so far, and of the one before it. Without a secret there is none before it either. */
export function previousSecret(
  stored: Pick<Source, 'signingSecret' | 'previousSigningSecret'>,
  { signing_secret: wish, previous_secret_hours: hours }: SourcePatch,
): Partial<Pick<Source, 'previousSigningSecret' | 'previousSecretUntil'>> {
  if (wish === undefined && hours === undefined) return {}
  const previous = wish === undefined ? stored.previousSigningSecret : stored.signingSecret
  const wanted = hours ?? PREVIOUS_HOURS
  if (wish === null || wanted === 0 || previous === null)
    return { previousSigningSecret: null, previousSecretUntil: null }
  return {
    previousSigningSecret: previous,
    previousSecretUntil: new Date(Date.now() + wanted * HOUR_MS),
  }
}
