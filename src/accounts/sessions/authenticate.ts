import type { Database } from '../../database/index.ts'
import { named } from '../../database/named.ts'
import { GalleyError } from '../../errors.ts'
import { hashToken, isToken } from '../../secrets/index.ts'
import { accountDisabled } from '../authenticate.ts'
import { type Caller, callerOf, KEY_COLUMNS, KEY_USED, type KnownKey } from '../caller.ts'
import { LIVE } from './life.ts'

/**
 * Finds who is signed in. Nothing is remembered between calls: a session ends with its key, and at once.
 *
 * @param token what the cookie says
 * @throws GalleyError 401 `SESSION_ENDED`, 403 `ACCOUNT_DISABLED`
 */
export async function authenticateSession({ pool }: Pick<Database, 'pool'>, token: string): Promise<Caller> {
  if (!isToken(token)) throw ended()
  const { rows } = await pool.query<KnownKey & { session_id: string; idle: boolean }>({
    name: 'authenticate-session',
    ...named(KNOWN, { hash: hashToken(token) }),
  })
  const [known] = rows
  if (known === undefined || known.revoked || known.expired_at !== null) throw ended()
  if (known.disabled) throw accountDisabled()
  if (known.unused) await pool.query(named(KEY_USED, { id: known.id }))
  if (known.idle) await pool.query(named(SESSION_USED, { id: known.session_id }))
  return { ...callerOf(known), sessionId: known.session_id }
}

const KNOWN = `
SELECT ${KEY_COLUMNS}, signed_in.id AS session_id,
  signed_in.last_used_at < now() - interval '10 minutes' AS idle
FROM session AS signed_in
JOIN api_key AS k ON k.id = signed_in.key_id AND k.account_id = signed_in.account_id
JOIN account AS a ON a.id = k.account_id
WHERE signed_in.hash = :hash::text AND ${LIVE('signed_in')}`

const SESSION_USED = 'UPDATE session SET last_used_at = now() WHERE id = :id::uuid'

const ended = () =>
  new GalleyError({
    code: 'SESSION_ENDED',
    httpStatus: 401,
    fault: 'owner',
    action: 'owner',
    message: 'You are not signed in any more. Sign in again with an API key.',
  })
