import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import { GalleyError } from '../errors.ts'
import { hashToken, isApiKey } from '../secrets/index.ts'
import type { Role } from './rights.ts'

/** Who makes a request, proved by a key. */
export interface Caller {
  accountId: string
  keyId: string
  role: Role
  /** The only sites that it sees, of those its account has; null where it sees all. */
  siteIds: string[] | null
  /** The labels that it is limited to, of which a site must have one that it connects; empty where there are none. */
  labels: string[]
}

/** A key's last use is written down once in this time, and not with every request. */
const USE_KNOWN_TO = '1 hour'

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
  const { rows } = await pool.query<Known>({
    name: 'authenticate-key',
    ...named(KNOWN, { hash: hashToken(key) }),
  })
  const [known] = rows
  if (known === undefined || known.revoked) throw invalid('does not exist or was revoked')
  if (known.expired_at !== null) throw invalid(`expired at ${known.expired_at.toISOString()}`)
  if (known.disabled)
    throw refusal(
      403,
      'ACCOUNT_DISABLED',
      'The account of this API key is disabled. Ask whoever runs this Galley.',
    )
  if (known.unused) await pool.query(named(USED, { id: known.id }))
  return {
    accountId: known.account_id,
    keyId: known.id,
    role: known.role,
    siteIds: known.sites,
    labels: known.labels,
  }
}

interface Known {
  id: string
  account_id: string
  role: Role
  revoked: boolean
  /** Null while it has not. */
  expired_at: Date | null
  disabled: boolean
  /** Its last use was written down too long ago. */
  unused: boolean
  sites: string[] | null
  labels: string[]
}

/** In SQL, since every request asks it. The sites that a key is limited to are looked up each time: labels change. */
const KNOWN = `
SELECT k.id, k.account_id, k.role, k.labels, k.revoked_at IS NOT NULL AS revoked,
  CASE WHEN k.expires_at <= now() THEN k.expires_at END AS expired_at, a.disabled_at IS NOT NULL AS disabled,
  coalesce(k.last_used_at < now() - interval '${USE_KNOWN_TO}', true) AS unused,
  CASE WHEN k.site_ids <> '{}' OR k.labels <> '{}' THEN ARRAY(
    SELECT s.id::text FROM site AS s
    WHERE s.account_id = k.account_id AND (s.id = ANY(k.site_ids) OR s.labels && k.labels)
  ) END AS sites
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
WHERE k.hash = :hash::text`

const USED = 'UPDATE api_key SET last_used_at = now() WHERE id = :id::uuid'

const invalid = (why: string) =>
  refusal(
    401,
    'INVALID_API_KEY',
    `The API key ${why}. Check that it was copied whole. Whoever runs this Galley makes another with: npm start -- --new-key`,
  )

const refusal = (httpStatus: number, code: string, message: string) =>
  new GalleyError({ code, message, httpStatus, fault: 'owner', action: 'owner' })
