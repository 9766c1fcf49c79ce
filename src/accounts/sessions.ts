import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import type { Database } from '../database/client.ts'
import { execute, named, queryRows } from '../database/statement.ts'
import { conflict, refusal } from '../errors.ts'
import { createToken, hashToken, isToken } from '../secrets/keyring.ts'
import {
  accountDisabled,
  allowsSiteScope,
  type Caller,
  hasRight,
  KEY_COLUMNS,
  KEY_SITE_IDS,
  type KeyRow,
  type Right,
  type Role,
  rights,
  roles,
  TOUCH_KEY,
  toCaller,
} from './authenticate.ts'
import { keySchema } from './schema.ts'

/** Days after which a session has ended, however much it is used. */
export const SESSION_MAX_DAYS = 14

/** Hours without a request after which it has ended. */
const SESSION_IDLE_HOURS = 24

/** Sessions that a key has at once; one more ends the oldest. */
const MAX_SESSIONS_PER_KEY = 50

/** Whether a row of `session`, by this name in the statement, has not ended by itself. */
const sessionIsLive = (row: string) =>
  `(${row}.created_at > now() - interval '${SESSION_MAX_DAYS} days' AND ${row}.last_used_at > now() - interval '${SESSION_IDLE_HOURS} hours')`

/** Who makes a request, and what it may do. */
export const sessionSchema = z
  .object({
    account: z.object({ id: z.guid(), name: z.string() }),
    key: keySchema.pick({ id: true, name: true, last_four: true }),
    role: z.enum(roles),
    rights: z.array(z.string()).describe('What it may do: each call has its right under `x-right`.'),
    limited: z.boolean().describe('Whether it sees some sites only.'),
    session: z
      .object({ since: z.iso.datetime(), until: z.iso.datetime() })
      .nullable()
      .describe(
        'When it was signed in, and when that ends at the latest; null of a request that sends its key.',
      ),
    sends_mail: z.boolean().describe('Whether this Galley can notify by mail.'),
  })
  .meta({ id: 'Session' })

/** A session ends with its key, at once. @throws GalleyError 401 `SESSION_ENDED`, 403 `ACCOUNT_DISABLED` */
export async function authenticateSession({ pool }: Pick<Database, 'pool'>, token: string): Promise<Caller> {
  if (!isToken(token)) throw sessionEnded()
  const { rows } = await pool.query<KeyRow & { session_id: string; idle: boolean }>({
    name: 'authenticate-session',
    ...named(FIND_SESSION, { hash: hashToken(token) }),
  })
  const [known] = rows
  if (known === undefined || known.revoked || known.expired_at !== null) throw sessionEnded()
  if (known.disabled) throw accountDisabled()
  if (known.unused) await execute(pool, TOUCH_KEY, { id: known.id })
  if (known.idle) await execute(pool, TOUCH_SESSION, { id: known.session_id })
  return { ...toCaller(known), sessionId: known.session_id }
}

const FIND_SESSION = `
SELECT ${KEY_COLUMNS}, signed_in.id AS session_id,
  signed_in.last_used_at < now() - interval '10 minutes' AS idle
FROM session AS signed_in
JOIN api_key AS k ON k.id = signed_in.key_id AND k.account_id = signed_in.account_id
JOIN account AS a ON a.id = k.account_id
WHERE signed_in.hash = :hash::text AND ${sessionIsLive('signed_in')}`

const TOUCH_SESSION = 'UPDATE session SET last_used_at = now() WHERE id = :id::uuid'

const sessionEnded = () =>
  refusal('SESSION_ENDED', 'You are not signed in any more. Sign in again with an API key.', 401)

/**
 * Trades a key for a session, whose token is returned this once. Ended sessions of the key go, and the oldest beyond the most.
 * @throws GalleyError 409 `SIGNED_IN_ALREADY` where the caller speaks through a session: it would never have to end
 */
export async function beginSession(pool: Pool, caller: Caller): Promise<{ id: string; token: string }> {
  if (caller.sessionId !== undefined)
    throw conflict(
      'SIGNED_IN_ALREADY',
      'You are signed in already. To sign in with another API key, sign out first.',
    )
  const { accountId, keyId } = caller
  const id = uuid()
  const token = createToken()
  await execute(pool, INSERT_SESSION, {
    id,
    accountId,
    keyId,
    hash: hashToken(token),
    others: MAX_SESSIONS_PER_KEY - 1,
  })
  return { id, token }
}

const INSERT_SESSION = `
WITH gone AS (
  DELETE FROM session WHERE id = ANY (ARRAY(
    SELECT s.id FROM (
      SELECT id, created_at, last_used_at, row_number() OVER (ORDER BY id DESC) AS place FROM session
      WHERE account_id = :accountId::uuid AND key_id = :keyId::uuid
    ) AS s WHERE s.place > :others::int OR NOT ${sessionIsLive('s')}
  ))
)
INSERT INTO session (id, account_id, key_id, hash)
VALUES (:id::uuid, :accountId::uuid, :keyId::uuid, :hash::text)`

/** Ends the session that the caller speaks through, or all of its key's. @returns how many have ended */
export async function endSessions(pool: Pool, { accountId, keyId, sessionId }: Caller, everywhere: boolean) {
  return execute(
    pool,
    `DELETE FROM session WHERE account_id = :accountId::uuid AND key_id = :keyId::uuid
     AND (:everywhere::boolean OR id = :sessionId::uuid)`,
    { accountId, keyId, sessionId: sessionId ?? null, everywhere },
  )
}

/** Who the caller is and what it may do, for a page to show no more than that. */
export async function readSession(
  pool: Pool,
  caller: Caller,
  sessionId = caller.sessionId,
): Promise<Omit<z.output<typeof sessionSchema>, 'sends_mail'>> {
  const { accountId, keyId, role, siteIds } = caller
  const rows = await queryRows<SessionRow>(pool, READ_SESSION, {
    accountId,
    keyId,
    sessionId: sessionId ?? null,
  })
  const { account, key, last_four, since, until } = rows[0] as SessionRow
  return {
    account: { id: accountId, name: account },
    key: { id: keyId, name: key, last_four },
    role,
    rights: rightsOf(caller),
    limited: siteIds !== null,
    session: since && until && { since: since.toISOString(), until: until.toISOString() },
  }
}

interface SessionRow {
  account: string
  key: string
  last_four: string
  since: Date | null
  until: Date | null
}

const READ_SESSION = `
SELECT a.name AS account, k.name AS key, k.last_four, s.created_at AS since,
  s.created_at + interval '${SESSION_MAX_DAYS} days' AS until
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
LEFT JOIN session AS s ON s.id = :sessionId::uuid AND s.key_id = k.id
WHERE k.id = :keyId::uuid AND k.account_id = :accountId::uuid`

const rightsOf = ({ role, siteIds }: Caller): Right[] =>
  (Object.keys(rights) as Right[]).filter(
    (right) => hasRight(role, right) && (siteIds === null || allowsSiteScope(right)),
  )

type LongLivedCaller = Pick<Caller, 'keyId' | 'sessionId'>

/** What requests that last may do now, whose key or session may have ended; undefined: nothing any more. */
export async function currentRights(
  pool: Pool,
  callers: readonly LongLivedCaller[],
): Promise<(caller: LongLivedCaller) => { role: Role; siteIds: string[] | null } | undefined> {
  const keyIds = [...new Set(callers.map(({ keyId }) => keyId))]
  const sessionIds = callers.flatMap(({ sessionId }) => sessionId ?? [])
  const { rows } = await pool.query<{ id: string; role: Role; sites: string[] | null; sessions: string[] }>({
    name: 'standing-of-keys',
    ...named(READ_CURRENT_RIGHTS, { keyIds, sessionIds }),
  })
  const keys = new Map(rows.map((row) => [row.id, row]))
  return ({ keyId, sessionId }) => {
    const key = keys.get(keyId)
    if (key === undefined || (sessionId !== undefined && !key.sessions.includes(sessionId))) return undefined
    return { role: key.role, siteIds: key.sites }
  }
}

const READ_CURRENT_RIGHTS = `
SELECT k.id, k.role, ${KEY_SITE_IDS} AS sites, ARRAY(
    SELECT s.id::text FROM session AS s
    WHERE s.id = ANY (:sessionIds::uuid[]) AND s.key_id = k.id AND s.account_id = k.account_id AND ${sessionIsLive('s')}
  ) AS sessions
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
WHERE k.id = ANY (:keyIds::uuid[]) AND k.revoked_at IS NULL AND (k.expires_at > now()) IS NOT FALSE AND a.disabled_at IS NULL`
