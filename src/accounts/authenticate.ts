import type { Pool } from 'pg'
import { gather } from '../database/gather.ts'
import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import { GalleyError } from '../errors.ts'
import { hashToken, isApiKey } from '../secrets/index.ts'
import { type Caller, callerOf, KEY_COLUMNS, KEY_USED, type KnownKey } from './caller.ts'

export type { Caller } from './caller.ts'

/**
 * Finds the account of an API key, and writes down that the key is in use. Nothing is remembered between calls, so a
 * revoked key stops at once.
 *
 * @param key as sent; undefined where the request carried none
 * @throws GalleyError 401 `UNAUTHENTICATED`, 401 `INVALID_API_KEY`, 403 `ACCOUNT_DISABLED` (docs/contract.md)
 */
export async function authenticateKey(
  { pool }: Pick<Database, 'pool'>,
  key: string | undefined,
): Promise<Caller> {
  if (key === undefined)
    throw refusal(
      401,
      'UNAUTHENTICATED',
      'Send an API key, as "Authorization: Bearer KEY" or as "X-API-Key: KEY".',
    )
  if (!isApiKey(key)) throw invalid('is not of the form gly_sk_ and 48 hexadecimal characters')
  const known = await gather(pool, 'authenticate-key', hashToken(key), (hashes) => knownKeys(pool, hashes))
  if (known === undefined || known.revoked) throw invalid('does not exist or was revoked')
  if (known.expired_at !== null) throw invalid(`expired at ${known.expired_at.toISOString()}`)
  if (known.disabled) throw accountDisabled()
  if (known.unused) await pool.query(named(KEY_USED, { id: known.id }))
  return callerOf(known)
}

/** The keys with these hashes, in their order: those that are asked for in the same moment are one statement. */
async function knownKeys(pool: Pool, hashes: readonly string[]): Promise<(KnownByHash | undefined)[]> {
  const { rows } = await pool.query<KnownByHash>({
    name: 'authenticate-key',
    ...named(KNOWN, { hashes: [...new Set(hashes)] }),
  })
  const byHash = new Map(rows.map((row) => [row.hash, row]))
  return hashes.map((hash) => byHash.get(hash))
}

type KnownByHash = KnownKey & { hash: string }

/** In SQL, since every request asks it. */
const KNOWN = `
SELECT k.hash, ${KEY_COLUMNS}
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
WHERE k.hash = ANY(:hashes::text[])`

const invalid = (why: string) =>
  refusal(
    401,
    'INVALID_API_KEY',
    `The API key ${why}. Check that it was copied whole. Whoever runs this Galley can create another: galley --new-key, or npm start -- --new-key`,
  )

export const accountDisabled = () =>
  refusal(403, 'ACCOUNT_DISABLED', 'The account of this API key is disabled. Ask whoever runs this Galley.')

const refusal = (httpStatus: number, code: string, message: string) =>
  new GalleyError({ code, message, httpStatus, fault: 'owner', action: 'owner' })
