import type { Database } from '../database/index.ts'
import { GalleyError } from '../errors.ts'
import { hashToken, isApiKey } from '../secrets/index.ts'

/** Who makes a request, proved by a key. */
export interface Caller {
  accountId: string
  keyId: string
}

/** A key's last use is written down once in this time, in milliseconds: not with every request. */
const USE_KNOWN_TO_MS = 3_600_000

/**
 * Finds the account of an API key, and writes down that the key is in use. Nothing is remembered between calls, so a
 * revoked key stops at once.
 *
 * @param key as sent; undefined where the request carried none
 * @throws GalleyError 401 `UNAUTHENTICATED`, 401 `INVALID_API_KEY`, 403 `ACCOUNT_DISABLED` (docs/contract.md)
 */
export async function authenticateKey({ prisma }: Database, key: string | undefined): Promise<Caller> {
  if (key === undefined)
    throw refusal(
      401,
      'UNAUTHENTICATED',
      'Send an API key, as "Authorization: Bearer KEY" or as "X-API-Key: KEY".',
    )
  if (!isApiKey(key)) throw invalid('is not of the form gly_sk_ and 48 hexadecimal characters')
  const known = await prisma.apiKey.findUnique({
    where: { hash: hashToken(key) },
    select: {
      id: true,
      revokedAt: true,
      lastUsedAt: true,
      account: { select: { id: true, disabledAt: true } },
    },
  })
  if (known === null || known.revokedAt !== null) throw invalid('does not exist or was revoked')
  if (known.account.disabledAt !== null)
    throw refusal(
      403,
      'ACCOUNT_DISABLED',
      'The account of this API key is disabled. Ask whoever runs this Galley.',
    )
  if (known.lastUsedAt === null || known.lastUsedAt.getTime() < Date.now() - USE_KNOWN_TO_MS)
    await prisma.apiKey.updateMany({ where: { id: known.id }, data: { lastUsedAt: new Date() } })
  return { accountId: known.account.id, keyId: known.id }
}

const invalid = (why: string) =>
  refusal(
    401,
    'INVALID_API_KEY',
    `The API key ${why}. Check that it was copied whole. Whoever runs this Galley makes another with: npm start -- --new-key`,
  )

const refusal = (httpStatus: number, code: string, message: string) =>
  new GalleyError({ code, message, httpStatus, fault: 'owner', action: 'owner' })
