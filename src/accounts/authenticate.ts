import type { Pool } from 'pg'
import type { Database } from '../database/client.ts'
import { batched, execute, named } from '../database/statement.ts'
import { refusal } from '../errors.ts'
import { hashToken, isApiKey } from '../secrets/keyring.ts'

/** Who makes a request, proved by a key or by a session that was begun with one. */
export interface Caller {
  accountId: string
  keyId: string
  role: Role
  /** The only sites that it sees, of those its account has; null where it sees all. */
  siteIds: string[] | null
  /** The labels that it is limited to, of which a site must have one that it connects; empty where there are none. */
  labels: string[]
  /** The session it speaks through, where it does not send the key itself. */
  sessionId?: string
}

/** A key's last use is written down once in this time, and not with every request. */
const LAST_USED_RESOLUTION = '1 hour'

/** The sites that a key `k` is limited to, in SQL; null where it sees all. */
export const KEY_SITE_IDS = `CASE WHEN k.site_ids <> '{}' OR k.labels <> '{}' THEN ARRAY(
    SELECT s.id::text FROM site AS s
    WHERE s.account_id = k.account_id AND (s.id = ANY(k.site_ids) OR s.labels && k.labels)
  ) END`

/** What every request asks of a key `k` and its account `a`. The sites are looked up each time: labels change. */
export const KEY_COLUMNS = `
  k.id, k.account_id, k.role, k.labels, k.revoked_at IS NOT NULL AS revoked,
  CASE WHEN k.expires_at <= now() THEN k.expires_at END AS expired_at, a.disabled_at IS NOT NULL AS disabled,
  coalesce(k.last_used_at < now() - interval '${LAST_USED_RESOLUTION}', true) AS unused,
  ${KEY_SITE_IDS} AS sites`

export interface KeyRow {
  id: string
  account_id: string
  role: Role
  revoked: boolean
  expired_at: Date | null
  disabled: boolean
  /** Its last use was written down too long ago. */
  unused: boolean
  sites: string[] | null
  labels: string[]
}

export const TOUCH_KEY = 'UPDATE api_key SET last_used_at = now() WHERE id = :id::uuid'

export const toCaller = ({ account_id, id, role, sites, labels }: KeyRow): Caller => ({
  accountId: account_id,
  keyId: id,
  role,
  siteIds: sites,
  labels,
})

/**
 * Finds the account of an API key. Nothing is remembered between calls, so a revoked key stops at once.
 * @throws GalleyError 401 `UNAUTHENTICATED`, 401 `INVALID_API_KEY`, 403 `ACCOUNT_DISABLED` (docs/contract.md)
 */
export async function authenticateKey({ pool }: Pick<Database, 'pool'>, key: string | undefined) {
  if (key === undefined)
    throw refusal(
      'UNAUTHENTICATED',
      'Send an API key, as "Authorization: Bearer KEY" or as "X-API-Key: KEY".',
      401,
    )
  if (!isApiKey(key)) throw invalidKey('is not of the form gly_sk_ and 48 hexadecimal characters')
  const known = await batched(pool, 'authenticate-key', hashToken(key), (hashes) =>
    findKeysByHash(pool, hashes),
  )
  if (known === undefined || known.revoked) throw invalidKey('does not exist or was revoked')
  if (known.expired_at !== null) throw invalidKey(`expired at ${known.expired_at.toISOString()}`)
  if (known.disabled) throw accountDisabled()
  if (known.unused) await execute(pool, TOUCH_KEY, { id: known.id })
  return toCaller(known)
}

/** The keys with these hashes, in their order: those that are asked for in the same moment are one statement. */
async function findKeysByHash(pool: Pool, hashes: readonly string[]): Promise<(KeyRowByHash | undefined)[]> {
  const { rows } = await pool.query<KeyRowByHash>({
    name: 'authenticate-key',
    ...named(FIND_KEYS, { hashes: [...new Set(hashes)] }),
  })
  const byHash = new Map(rows.map((row) => [row.hash, row]))
  return hashes.map((hash) => byHash.get(hash))
}

type KeyRowByHash = KeyRow & { hash: string }

const FIND_KEYS = `
SELECT k.hash, ${KEY_COLUMNS}
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
WHERE k.hash = ANY(:hashes::text[])`

const invalidKey = (why: string) =>
  refusal(
    'INVALID_API_KEY',
    `The API key ${why}. Check that it was copied whole. Whoever runs this Galley can create another: galley --new-key, or npm start -- --new-key`,
    401,
  )

export const accountDisabled = () =>
  refusal('ACCOUNT_DISABLED', 'The account of this API key is disabled. Ask whoever runs this Galley.', 403)

/** What a key may be, the mightiest first. A key of a new Galley is `operator`; what other keys are is said when they are made. */
export const roles = ['operator', 'owner', 'manager', 'editor', 'source'] as const

export type Role = (typeof roles)[number]

export const owners = ['operator', 'owner'] as const
const managers = [...owners, 'manager'] as const
const editors = [...managers, 'editor'] as const
const senders = [...managers, 'source'] as const

/** Who may do what; docs/api.md is printed from it. Every statement names the account: nobody has rights over another's. */
export const rights = {
  /** Sign in to the page and out, and see who one is. */
  session: roles,
  'accounts.manage': ['operator'],
  'metrics.read': ['operator'],
  'account.read': editors,
  'account.change': owners,
  'keys.manage': owners,
  'audit.read': owners,
  'sites.read': editors,
  'sites.change': managers,
  'sources.read': editors,
  /** Of a key that is limited to sites: sources that can send to these alone, and no others. */
  'sources.change': managers,
  'events.read': editors,
  'deliveries.read': editors,
  /** Retry, release, cancel: what moves a delivery on, and changes no site. */
  'deliveries.act': editors,
  'deliveries.create': senders,
  /** See what a document would become. Nothing is written. */
  preview: [...editors, 'source'],
  /** Of a job whose id one knows: how far it is, and its result. */
  'jobs.read': [...editors, 'source'],
  'jobs.list': editors,
  /** See of a job what providers charge whoever runs this Galley for it. */
  'costs.read': ['operator'],
  'jobs.create': [...managers, 'source'],
  'changes.read': editors,
  'notifications.read': editors,
  'notifications.change': managers,
  /** Who is told what becomes of deliveries and sites; a key that is limited to sites has those told that it names. */
  'receivers.change': managers,
} as const satisfies Record<string, readonly Role[]>

export type Right = keyof typeof rights

/** Rights over what belongs to no single site: a key that is limited to sites has none of them, whatever its role. */
const accountWideRights: readonly Right[] = [
  'accounts.manage',
  'metrics.read',
  'account.change',
  'keys.manage',
  'audit.read',
  'notifications.change',
]

/** Whether a key that is limited to some sites can have the right at all. */
export const allowsSiteScope = (right: Right): boolean => !accountWideRights.includes(right)

/** Whether a key of this role has the right. */
export const hasRight = (role: Role, right: Right): boolean =>
  (rights[right] as readonly Role[]).includes(role)
