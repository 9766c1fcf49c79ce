import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { execute, queryRows } from '../database/statement.ts'
import { conflict, GalleyError, tryLater } from '../errors.ts'
import { createTimedTask, type WorkFactory } from '../jobs/job.ts'
import type { SealedColumn } from '../secrets/check-keys.ts'
import type { Keyring } from '../secrets/keyring.ts'

/** Seconds after which another attempt takes over, unless the lease is renewed. */
const KEY_LEASE_S = 20

/** Milliseconds between two renewals. */
const KEY_RENEW_MS = (KEY_LEASE_S * 1000) / 4

const IS_OUR_CLAIM = 'account_id = :accountId AND key = :key AND fence = :fence AND answer IS NULL'

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
  UPDATE idempotency_key SET leased_until = now() + make_interval(secs => :leaseS) WHERE ${IS_OUR_CLAIM}`

const KEEP = `
  UPDATE idempotency_key SET http_status = :status, answer = :sealed, leased_until = NULL WHERE ${IS_OUR_CLAIM}`

const FORGET = `DELETE FROM idempotency_key WHERE ${IS_OUR_CLAIM}`

/** The column counts milliseconds, and a moment that is rounded up is still to come. */
const RELEASE = `UPDATE idempotency_key SET leased_until = now() - interval '1 millisecond' WHERE ${IS_OUR_CLAIM}`

/** Also for an attempt that was taken for dead, where another has begun since. */
const keyInUse = () =>
  tryLater(
    'IDEMPOTENCY_KEY_IN_USE',
    'A request with this Idempotency-Key is still running. Send it again in a moment to get the answer of the first.',
    { httpStatus: 409, retryAfterMs: 1000 },
  )

export interface IdempotentExecution {
  /** The id that it gets, the same in every attempt at one request. */
  id: string
  /** When an earlier attempt at it began, which may have made it and died; undefined for the first. */
  againSince: Date | undefined
}

interface IdempotentResponse {
  status: number
  body: { success: boolean }
}

interface KeyedCall {
  accountId: string
  /** The API key: an answer may show what that alone may see. */
  keyId: string
  key: string
  operation: string
  request: unknown
}

interface IdempotencyStore {
  pool: Pool
  keyring: Keyring
}

/**
 * Carries a request out once for its `Idempotency-Key`, and gives the first answer again to whoever repeats it. An attempt that
 * failed in a way that may have made something, or whose process ended, is followed by the next request with the key.
 * @param work must make what it makes under the id it is told, and find what an earlier attempt has made
 * @throws GalleyError 409 `IDEMPOTENCY_KEY_REUSED`, 409 `IDEMPOTENCY_KEY_IN_USE`; and what `work` throws
 */
export async function runIdempotent<Answer extends IdempotentResponse>(
  { pool, keyring }: IdempotencyStore,
  { accountId, keyId, key, operation, request: sent }: KeyedCall,
  work: (making: IdempotentExecution) => Promise<Answer>,
): Promise<IdempotentResponse> {
  const digest = hash('sha256', JSON.stringify([operation, keyId, sent]), 'buffer')
  const request = { accountId, key, digest }
  const taken = { ...request, subjectId: uuid(), leaseS: KEY_LEASE_S }
  const [claim] = await queryRows<{ subjectId: string; fence: number; since: Date }>(pool, TAKE, taken)
  if (claim === undefined) return keptAnswer({ pool, keyring }, request)
  const { subjectId, fence, since } = claim
  // Later writes of an older attempt change nothing.
  const ours = { accountId, key, fence }
  const renewing = setInterval(() => {
    // An attempt goes on without its lease; the next one finds what it made.
    execute(pool, RENEW, { ...ours, leaseS: KEY_LEASE_S }).catch(() => undefined)
  }, KEY_RENEW_MS)
  try {
    const answer = await work({ id: subjectId, againSince: fence > 1 ? since : undefined })
    const sealed = keyring.encrypt(JSON.stringify(answer.body), answerIdentity(subjectId))
    const rowCount = await execute(pool, KEEP, { ...ours, status: answer.status, sealed })
    if (rowCount !== 1) throw keyInUse()
    return answer
  } catch (error) {
    // What is refused has made nothing; of any other failure nobody knows, and the next attempt keeps the id.
    const refused = error instanceof GalleyError && error.httpStatus >= 400 && error.httpStatus < 500
    // Where this fails, the lease ends by itself.
    await execute(pool, refused && fence === 1 ? FORGET : RELEASE, ours).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewing)
  }
}

/** What was answered to the first request with this key. */
async function keptAnswer(
  { pool, keyring }: IdempotencyStore,
  { accountId, key, digest }: { accountId: string; key: string; digest: Buffer },
): Promise<IdempotentResponse> {
  const [known] = await queryRows<KeptKey>(pool, FIND, { accountId, key })
  if (known && !known.digest.equals(digest))
    throw conflict(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was sent before, with another request or another API key. Send a key of its own with each request.',
    )
  if (!known || known.sealed === null || known.status === null) throw keyInUse()
  return { status: known.status, body: JSON.parse(keyring.decrypt(known.sealed, answerIdentity(known.id))) }
}

interface KeptKey {
  id: string
  digest: Buffer
  status: number | null
  sealed: string | null
}

const answerIdentity = (id: string): string => `idempotency_key:${id}:answer`

/** What was answered to keyed requests. Older ones are about to be forgotten. */
export const idempotentAnswer: SealedColumn = {
  table: 'idempotency_key',
  column: 'answer',
  key: ['id'],
  of: 'account',
  identity: answerIdentity,
}

const PURGE_BATCH = 1_000

/** What idempotency needs done: that keys are forgotten after 24 hours. */
export const idempotencyWork =
  (pool: Pool): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTimedTask('forget_idempotency_keys', '23 * * * *', async () => {
        while (!stopping.aborted && (await purgeOldKeys(pool)) === PURGE_BATCH);
      }),
    ],
    sweep: { dueDates: [{ table: 'idempotency_key', column: 'leased_until', maxAheadS: KEY_LEASE_S }] },
  })

/** @returns how many were forgotten, a batch at most */
export async function purgeOldKeys(pool: Pool): Promise<number> {
  return execute(
    pool,
    `DELETE FROM idempotency_key WHERE id = ANY (ARRAY(
       SELECT id FROM idempotency_key
       WHERE created_at < now() - interval '24 hours' AND coalesce(leased_until, now()) <= now()
       ORDER BY created_at LIMIT :batch FOR UPDATE SKIP LOCKED))`,
    { batch: PURGE_BATCH },
  )
}
