import type { Role } from './rights.ts'

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
const USE_KNOWN_TO = '1 hour'

/** The sites that a key `k` is limited to, in SQL; null where it sees all. */
export const SITES_OF_KEY = `CASE WHEN k.site_ids <> '{}' OR k.labels <> '{}' THEN ARRAY(
    SELECT s.id::text FROM site AS s
    WHERE s.account_id = k.account_id AND (s.id = ANY(k.site_ids) OR s.labels && k.labels)
  ) END`

/** What every request asks of a key `k` and its account `a`. The sites are looked up each time: labels change. */
export const KEY_COLUMNS = `
  k.id, k.account_id, k.role, k.labels, k.revoked_at IS NOT NULL AS revoked,
  CASE WHEN k.expires_at <= now() THEN k.expires_at END AS expired_at, a.disabled_at IS NOT NULL AS disabled,
  coalesce(k.last_used_at < now() - interval '${USE_KNOWN_TO}', true) AS unused,
  ${SITES_OF_KEY} AS sites`

/** A row of {@link KEY_COLUMNS}. */
export interface KnownKey {
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

/** Writes down that a key is in use. */
export const KEY_USED = 'UPDATE api_key SET last_used_at = now() WHERE id = :id::uuid'

export const callerOf = ({ account_id, id, role, sites, labels }: KnownKey): Caller => ({
  accountId: account_id,
  keyId: id,
  role,
  siteIds: sites,
  labels,
})
