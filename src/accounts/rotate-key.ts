import type { ApiKey, PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { createApiKey } from '../secrets/index.ts'
import type { Caller } from './authenticate.ts'
import { futureOf, refuseHigherRole } from './issue-keys.ts'
import { createKey, keyFields, keyView, lockKeys, storedKey } from './keys.ts'
import type { Role } from './rights.ts'
import type { KeyRotation, RotatedKey } from './schema.ts'

const HOURS = 24
const HOUR_MS = 3_600_000

/**
 * Makes a key that is called and allowed the same as another, which works beside it for as long as is asked for.
 *
 * @param newId of the key that is made. Where an earlier attempt has made it, nobody heard what it is: it becomes another
 * @throws GalleyError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `KEY_ENDED`, 422 `KEY_EXPIRED_ALREADY`
 */
export async function rotateKey(
  prisma: PrismaClient,
  caller: Caller,
  { id, newId }: { id: string; newId: string },
  { overlap_hours: hours = HOURS, expires_at }: KeyRotation,
): Promise<RotatedKey> {
  const { accountId } = caller
  const end = expires_at === undefined ? undefined : futureOf(expires_at)
  return prisma.$transaction(async (transaction) => {
    await lockKeys(transaction, accountId)
    const before = await storedKey(transaction, { accountId, id })
    refuseHigherRole(caller, before.role as Role)
    const made = await transaction.apiKey.findFirst({ where: { id: newId, accountId } })
    if (made !== null) {
      const key = createApiKey()
      const row = await transaction.apiKey.update({
        where: { id: newId },
        data: keyFields(made.name, key, newId),
      })
      return { ...keyView(row), key, previous_key_until: untilOf(before) }
    }
    if (hasEnded(before)) throw keyEnded(before)
    const { name, role, siteIds, labels } = before
    const key = await createKey(transaction, {
      id: newId,
      accountId,
      name,
      role: role as Role,
      siteIds,
      labels,
      expiresAt: end === undefined ? before.expiresAt : end,
    })
    const ended = await transaction.apiKey.update({ where: { id }, data: endIn(before, hours) })
    return { ...key, previous_key_until: untilOf(ended) }
  })
}

const hasEnded = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt !== null || (expiresAt !== null && expiresAt <= new Date())

/** Until when a key works that is being replaced; null where it has ended. */
const untilOf = (key: ApiKey): string | null =>
  hasEnded(key) ? null : (key.expiresAt?.toISOString() ?? null)

/** What ends a key in so many hours; one that ends earlier does. */
function endIn({ expiresAt }: ApiKey, hours: number): { revokedAt: Date } | { expiresAt: Date } {
  if (hours === 0) return { revokedAt: new Date() }
  const end = new Date(Date.now() + hours * HOUR_MS)
  return { expiresAt: expiresAt !== null && expiresAt < end ? expiresAt : end }
}

const keyEnded = ({ name }: ApiKey) =>
  new GalleyError({
    code: 'KEY_ENDED',
    httpStatus: 409,
    message: `The key “${name}” was revoked or has expired, so nothing can take its place. Create a key with POST /v1/keys.`,
  })
