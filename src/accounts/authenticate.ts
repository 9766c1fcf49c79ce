import type { Database } from '../database/index.ts'
import { GalleyError } from '../errors.ts'
import { hashToken, isApiKey } from '../secrets/index.ts'

/** Who makes a request, proved by a key. */
export interface Caller {
  accountId: string
  keyId: string
}

/**
 * Finds the account of an API key. Nothing is remembered between calls, so a revoked key stops at once.
 *
 * @param key as sent; undefined where the request carried none
 * @throws GalleyError 401 `UNAUTHENTICATED`, 401 `INVALID_API_KEY`, 403 `ACCOUNT_DISABLED` (spec.md, Authentication)
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
    select: { id: true, revokedAt: true, account: { select: { id: true, disabledAt: true } } },
  })
  if (known === null || known.revokedAt !== null) throw invalid('does not exist or was revoked')
  if (known.account.disabledAt !== null)
    throw refusal(
      403,
      'ACCOUNT_DISABLED',
      'The account of this API key is disabled. Ask whoever runs this Galley.',
    )
  return { accountId: known.account.id, keyId: known.id }
}

const invalid = (why: string) =>
  refusal(401, 'INVALID_API_KEY', `The API key ${why}. Check that it was copied whole, or make a new one.`)

const refusal = (httpStatus: number, code: string, message: string) =>
  new GalleyError({ code, message, httpStatus, whose: 'owner', action: 'owner' })
