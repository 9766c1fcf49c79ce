import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../../database/named.ts'
import { GalleyError } from '../../errors.ts'
import { createToken, hashToken } from '../../secrets/index.ts'
import type { Caller } from '../caller.ts'
import { mayBeLimited, mayUse, type Right, rights } from '../rights.ts'
import { LIVE, SESSION_DAYS, SESSIONS_OF_KEY } from './life.ts'
import type { SessionView } from './schema.ts'

/**
 * Trades a key for a session: what the cookie is to say is returned this once, only its hash is kept. What has ended of the
 * key's sessions goes, and the oldest where there are too many.
 *
 * @throws GalleyError 409 `SIGNED_IN_ALREADY` where the caller speaks through a session: it would never have to end
 */
export async function beginSession(pool: Pool, caller: Caller): Promise<{ id: string; token: string }> {
  if (caller.sessionId !== undefined) throw signedInAlready()
  const { accountId, keyId } = caller
  const id = uuid()
  const token = createToken()
  await pool.query(
    named(BEGIN, { id, accountId, keyId, hash: hashToken(token), others: SESSIONS_OF_KEY - 1 }),
  )
  return { id, token }
}

const BEGIN = `
WITH gone AS (
  DELETE FROM session WHERE id = ANY (ARRAY(
    SELECT s.id FROM (
      SELECT id, created_at, last_used_at, row_number() OVER (ORDER BY id DESC) AS place FROM session
      WHERE account_id = :accountId::uuid AND key_id = :keyId::uuid
    ) AS s WHERE s.place > :others::int OR NOT ${LIVE('s')}
  ))
)
INSERT INTO session (id, account_id, key_id, hash)
VALUES (:id::uuid, :accountId::uuid, :keyId::uuid, :hash::text)`

/**
 * Ends the session that the caller speaks through, or all of its key's.
 *
 * @returns how many have ended
 */
export async function endSessions(
  pool: Pool,
  { accountId, keyId, sessionId }: Caller,
  everywhere: boolean,
): Promise<number> {
  const { rowCount } = await pool.query(
    named(
      `DELETE FROM session WHERE account_id = :accountId::uuid AND key_id = :keyId::uuid
       AND (:everywhere::boolean OR id = :sessionId::uuid)`,
      { accountId, keyId, sessionId: sessionId ?? null, everywhere },
    ),
  )
  return rowCount ?? 0
}

/** Who the caller is and what it may do, for a page to show no more than that. */
export async function readSession(
  pool: Pool,
  caller: Caller,
  sessionId = caller.sessionId,
): Promise<SessionView> {
  const { accountId, keyId, role, siteIds } = caller
  const { rows } = await pool.query<Known>(named(READ, { accountId, keyId, sessionId: sessionId ?? null }))
  const { account, key, last_four, since, until } = rows[0] as Known
  return {
    account: { id: accountId, name: account },
    key: { id: keyId, name: key, last_four },
    role,
    rights: rightsOf(caller),
    limited: siteIds !== null,
    session: since && until && { since: since.toISOString(), until: until.toISOString() },
  }
}

interface Known {
  account: string
  key: string
  last_four: string
  since: Date | null
  until: Date | null
}

const READ = `
SELECT a.name AS account, k.name AS key, k.last_four, s.created_at AS since,
  s.created_at + interval '${SESSION_DAYS} days' AS until
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
LEFT JOIN session AS s ON s.id = :sessionId::uuid AND s.key_id = k.id
WHERE k.id = :keyId::uuid AND k.account_id = :accountId::uuid`

const rightsOf = ({ role, siteIds }: Caller): Right[] =>
  (Object.keys(rights) as Right[]).filter(
    (right) => mayUse(role, right) && (siteIds === null || mayBeLimited(right)),
  )

const signedInAlready = () =>
  new GalleyError({
    code: 'SIGNED_IN_ALREADY',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message: 'You are signed in already. To sign in with another API key, sign out first.',
  })
