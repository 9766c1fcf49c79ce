import type { Source } from '../database/generated/client.ts'
import type { Rotation, SourcePatch } from './schema.ts'

// What was replaced stays valid for a while beside what replaced it, so that a sender can change over without a pause.

const HOURS = 24
const HOUR_MS = 3_600_000

const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS)

/** What has ended does not come back by being asked for. */
export const stillValid = (until: Date | null): Date | null =>
  until !== null && until.getTime() > Date.now() ? until : null

type Secrets = Pick<Source, 'signingSecret' | 'previousSigningSecret' | 'previousSecretUntil'>

/** What becomes of the secret so far, and of the one before it. Without a secret there is none before it either. */
export function previousSecret(
  stored: Secrets,
  { signing_secret: requested, previous_secret_hours: hours }: SourcePatch,
): Partial<Secrets> {
  if (requested === undefined && hours === undefined) return {}
  const before = stillValid(stored.previousSecretUntil) && stored.previousSigningSecret
  const previous = requested === undefined ? before : stored.signingSecret
  const wanted = hours ?? HOURS
  if (requested === null || wanted === 0 || previous === null)
    return { previousSigningSecret: null, previousSecretUntil: null }
  return { previousSigningSecret: previous, previousSecretUntil: inHours(wanted) }
}

type Addresses = Pick<Source, 'tokenHash' | 'previousTokenHash' | 'previousTokenUntil'>

const NO_ADDRESS_BEFORE = { previousTokenHash: null, previousTokenUntil: null }

/** By how much the clocks of a process and of the database may differ. */
const SKEW_MS = 5_000

/**
 * The address so far beside a new one.
 *
 * @param againSince when an earlier attempt at the same request began: of its address nobody heard, and the one before it
 *   stays the one before
 */
export function addressBefore(
  { tokenHash, previousTokenUntil: until }: Pick<Addresses, 'tokenHash' | 'previousTokenUntil'>,
  { overlap_hours: hours = HOURS }: Rotation,
  againSince: Date | undefined,
): Partial<Addresses> {
  if (hours === 0) return NO_ADDRESS_BEFORE
  const rotated = until !== null && againSince !== undefined && until >= rotatedAt(againSince, hours)
  return rotated ? {} : { previousTokenHash: tokenHash, previousTokenUntil: inHours(hours) }
}

const rotatedAt = (time: Date, hours: number): Date => new Date(time.getTime() + hours * HOUR_MS - SKEW_MS)

/** How long the address before the last rotation works from now on. */
export function previousAddress(
  { previousTokenUntil }: Pick<Addresses, 'previousTokenUntil'>,
  { previous_address_hours: hours }: SourcePatch,
): Partial<Addresses> {
  if (hours === undefined) return {}
  if (hours === 0 || stillValid(previousTokenUntil) === null) return NO_ADDRESS_BEFORE
  return { previousTokenUntil: inHours(hours) }
}
