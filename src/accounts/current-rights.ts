import type { Pool } from 'pg'
import { named } from '../database/named.ts'
import { type Caller, SITES_OF_KEY } from './caller.ts'
import type { Role } from './rights.ts'
import { LIVE } from './sessions/life.ts'

/** Who began a request that lasts. */
export type LongLivedCaller = Pick<Caller, 'keyId' | 'sessionId'>

/** What somebody may be and see now. */
export interface CurrentRights {
  role: Role
  siteIds: string[] | null
}

/**
 * How those stand whose requests last, whose key or session may have ended meanwhile.
 *
 * @returns what each may now; undefined for one that may nothing any more
 */
export async function currentRights(
  pool: Pool,
  callers: readonly LongLivedCaller[],
): Promise<(caller: LongLivedCaller) => CurrentRights | undefined> {
  const keyIds = [...new Set(callers.map(({ keyId }) => keyId))]
  const sessionIds = callers.flatMap(({ sessionId }) => sessionId ?? [])
  const { rows } = await pool.query<{ id: string; role: Role; sites: string[] | null; sessions: string[] }>({
    name: 'standing-of-keys',
    ...named(STANDING, { keyIds, sessionIds }),
  })
  const keys = new Map(rows.map((row) => [row.id, row]))
  return ({ keyId, sessionId }) => {
    const key = keys.get(keyId)
    if (key === undefined || (sessionId !== undefined && !key.sessions.includes(sessionId))) return undefined
    return { role: key.role, siteIds: key.sites }
  }
}

const STANDING = `
SELECT k.id, k.role, ${SITES_OF_KEY} AS sites, ARRAY(
    SELECT s.id::text FROM session AS s
    WHERE s.id = ANY (:sessionIds::uuid[]) AND s.key_id = k.id AND s.account_id = k.account_id AND ${LIVE('s')}
  ) AS sessions
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
WHERE k.id = ANY (:keyIds::uuid[]) AND k.revoked_at IS NULL AND (k.expires_at > now()) IS NOT FALSE AND a.disabled_at IS NULL`
