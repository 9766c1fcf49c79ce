import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../database/named.ts'
import { GalleyError } from '../errors.ts'

/** A request under a key of its sender's. */
export interface KeyedRequest {
  accountId: string
  /** The `Idempotency-Key`. */
  key: string
  /** SHA-256 of all that makes it this request. */
  digest: Buffer
}

/** The right of one attempt to carry the request out. */
export interface Claim {
  /** The id of what it makes, the same in every attempt. */
  subjectId: string
  /** Later writes of an older one change nothing. */
  fence: number
  /** When the first attempt began. */
  since: Date
}

/** What was answered, as it is stored. */
export interface KeptAnswer {
  /** Of what was made. */
  subjectId: string
  status: number
  sealed: string
}

/** Seconds that an attempt has before another takes over, unless it says that it goes on. */
const LEASE_S = 20

/** Milliseconds between two such words. */
export const RENEW_MS = (LEASE_S * 1000) / 4

/**
 * Takes a key for an attempt at its request, or finds what was answered. An attempt that failed in a way that may have
 * made something, or whose process ended, is followed by the next request with the key.
 *
 * @throws GalleyError 409 `IDEMPOTENCY_KEY_REUSED`, 409 `IDEMPOTENCY_KEY_IN_USE` while an attempt is under way
 */
export async function claimKey(
  pool: Pool,
  request: KeyedRequest,
): Promise<{ claim: Claim } | { kept: KeptAnswer }> {
  const { rows } = await pool.query<Claim>(named(TAKE, { ...request, subjectId: uuid(), leaseS: LEASE_S }))
  const [claim] = rows
  if (claim !== undefined) return { claim }
  const known = await find(pool, request)
  if (known === undefined) throw inUse()
  if (!known.digest.equals(request.digest)) throw reused()
  if (known.sealed === null || known.status === null) throw inUse()
  return { kept: { subjectId: known.id, status: known.status, sealed: known.sealed } }
}

/** Says that the attempt goes on. */
export const renewClaim = (pool: Pool, request: KeyedRequest, { fence }: Claim): Promise<unknown> =>
  pool.query(named(RENEW, { ...rowOf(request), fence, leaseS: LEASE_S }))

/** Keeps the answer. @returns whether the attempt was still the one that may */
export async function keepAnswer(
  pool: Pool,
  request: KeyedRequest,
  { fence, status, sealed }: Pick<Claim, 'fence'> & Omit<KeptAnswer, 'subjectId'>,
): Promise<boolean> {
  const { rowCount } = await pool.query(named(KEEP, { ...rowOf(request), fence, status, sealed }))
  return rowCount === 1
}

/** Gives the key back, as if it had never been sent: nothing was made. */
export const forgetKey = (pool: Pool, request: KeyedRequest, { fence }: Claim): Promise<unknown> =>
  pool.query(named(FORGET, { ...rowOf(request), fence }))

/** Lets the next request with the key try again at once; what this one made, if anything, is found by its id. */
export const releaseKey = (pool: Pool, request: KeyedRequest, { fence }: Claim): Promise<unknown> =>
  pool.query(named(RELEASE, { ...rowOf(request), fence }))

const rowOf = ({ accountId, key }: KeyedRequest) => ({ accountId, key })

async function find(pool: Pool, request: KeyedRequest) {
  const { rows } = await pool.query<{
    id: string
    digest: Buffer
    status: number | null
    sealed: string | null
  }>(named(FIND, rowOf(request)))
  return rows[0]
}

const OURS = 'account_id = :accountId AND key = :key AND fence = :fence AND answer IS NULL'

const TAKE = `
  INSERT INTO idempotency_key AS k (id, account_id, key, request_digest, leased_until)
  VALUES (:subjectId, :accountId, :key, :digest, now() + make_interval(secs => :leaseS))
  ON CONFLICT (account_id, key) DO UPDATE SET fence = k.fence + 1, leased_until = excluded.leased_until
  WHERE k.request_digest = excluded.request_digest AND k.answer IS NULL AND k.leased_until <= now()
  RETURNING id AS "subjectId", fence, created_at AS since`

const FIND = `
  SELECT id, request_digest AS digest, http_status AS status, answer AS sealed FROM idempotency_key
  WHERE account_id = :accountId AND key = :key`

const RENEW = `
  UPDATE idempotency_key SET leased_until = now() + make_interval(secs => :leaseS) WHERE ${OURS}`

const KEEP = `
  UPDATE idempotency_key SET http_status = :status, answer = :sealed, leased_until = NULL WHERE ${OURS}`

const FORGET = `DELETE FROM idempotency_key WHERE ${OURS}`

/** The column counts milliseconds, and a moment that is rounded up is still to come. */
const RELEASE = `UPDATE idempotency_key SET leased_until = now() - interval '1 millisecond' WHERE ${OURS}`

const reused = () =>
  new GalleyError({
    code: 'IDEMPOTENCY_KEY_REUSED',
    httpStatus: 409,
    fault: 'owner',
    message:
      'This Idempotency-Key was sent before, with another request or another API key. Send a key of its own with each request.',
  })

/** Also said to an attempt that was taken for dead, and whose place another has taken. */
export const inUse = () =>
  new GalleyError({
    code: 'IDEMPOTENCY_KEY_IN_USE',
    httpStatus: 409,
    action: 'retry',
    retryAfterMs: 1000,
    message:
      'A request with this Idempotency-Key is under way. Send it again in a moment: it answers what that one made.',
  })
