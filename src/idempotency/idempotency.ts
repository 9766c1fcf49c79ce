import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import { named } from '../database/statement.ts'
import { GalleyError } from '../errors.ts'
import { createTask, defineJob, type WorkFactory } from '../jobs/job.ts'
import type { Keyring, SealedColumn } from '../secrets/index.ts'

/** A request under a key of its sender's. */
interface IdempotentRequest {
  accountId: string
  /** The `Idempotency-Key`. */
  key: string
  /** SHA-256 of all that makes it this request. */
  digest: Buffer
}

/** The right of one attempt to carry the request out. */
interface KeyClaim {
  /** The id of what it makes, the same in every attempt. */
  subjectId: string
  /** Later writes of an older one change nothing. */
  fence: number
  /** When the first attempt began. */
  since: Date
}

/** What was answered, as it is stored. */
interface StoredAnswer {
  /** Of what was made. */
  subjectId: string
  status: number
  sealed: string
}

/** Seconds that an attempt has before another takes over, unless it says that it goes on. */
const KEY_LEASE_S = 20

/** Milliseconds between two such words. */
const KEY_RENEW_MS = (KEY_LEASE_S * 1000) / 4

/**
 * Takes a key for an attempt at its request, or finds what was answered. An attempt that failed in a way that may have
 * made something, or whose process ended, is followed by the next request with the key.
 *
 * @throws GalleyError 409 `IDEMPOTENCY_KEY_REUSED`, 409 `IDEMPOTENCY_KEY_IN_USE` while an attempt is under way
 */
export async function claimKey(
  pool: Pool,
  request: IdempotentRequest,
): Promise<{ claim: KeyClaim } | { kept: StoredAnswer }> {
  const { rows } = await pool.query<KeyClaim>(
    named(TAKE, { ...request, subjectId: uuid(), leaseS: KEY_LEASE_S }),
  )
  const [claim] = rows
  if (claim !== undefined) return { claim }
  const known = await findKey(pool, request)
  if (known === undefined) throw keyInUse()
  if (!known.digest.equals(request.digest)) throw keyReused()
  if (known.sealed === null || known.status === null) throw keyInUse()
  return { kept: { subjectId: known.id, status: known.status, sealed: known.sealed } }
}

/** Says that the attempt goes on. */
const renewClaim = (pool: Pool, request: IdempotentRequest, { fence }: KeyClaim): Promise<unknown> =>
  pool.query(named(RENEW, { ...rowOf(request), fence, leaseS: KEY_LEASE_S }))

/** Keeps the answer. @returns whether the attempt was still the one that may */
async function storeAnswer(
  pool: Pool,
  request: IdempotentRequest,
  { fence, status, sealed }: Pick<KeyClaim, 'fence'> & Omit<StoredAnswer, 'subjectId'>,
): Promise<boolean> {
  const { rowCount } = await pool.query(named(KEEP, { ...rowOf(request), fence, status, sealed }))
  return rowCount === 1
}

/** Gives the key back, as if it had never been sent: nothing was made. */
const deleteKey = (pool: Pool, request: IdempotentRequest, { fence }: KeyClaim): Promise<unknown> =>
  pool.query(named(FORGET, { ...rowOf(request), fence }))

/** Lets the next request with the key try again at once; what this one made, if anything, is found by its id. */
const releaseKey = (pool: Pool, request: IdempotentRequest, { fence }: KeyClaim): Promise<unknown> =>
  pool.query(named(RELEASE, { ...rowOf(request), fence }))

const rowOf = ({ accountId, key }: IdempotentRequest) => ({ accountId, key })

async function findKey(pool: Pool, request: IdempotentRequest) {
  const { rows } = await pool.query<{
    id: string
    digest: Buffer
    status: number | null
    sealed: string | null
  }>(named(FIND, rowOf(request)))
  return rows[0]
}

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

const keyReused = () =>
  new GalleyError({
    code: 'IDEMPOTENCY_KEY_REUSED',
    httpStatus: 409,
    fault: 'owner',
    message:
      'This Idempotency-Key was sent before, with another request or another API key. Send a key of its own with each request.',
  })

/** Also said to an attempt that was taken for dead, and whose place another has taken. */
const keyInUse = () =>
  new GalleyError({
    code: 'IDEMPOTENCY_KEY_IN_USE',
    httpStatus: 409,
    action: 'retry',
    retryAfterMs: 1000,
    message:
      'A request with this Idempotency-Key is under way. Send it again in a moment: it answers what that one made.',
  })

/** What a request is to make. */
export interface IdempotentExecution {
  /** The id that it gets, the same in every attempt at one request. */
  id: string
  /** When an earlier attempt at it began, which may have made it and died; undefined for the first. */
  againSince: Date | undefined
}

/** An answer that can be given again. */
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
  /** All that was sent, as JSON. */
  request: unknown
}

/**
 * Carries a request out once for its `Idempotency-Key`, and gives the first answer again to whoever repeats it. The
 * answer is kept before it is given, so that whatever an attempt without one has made, nobody has seen.
 *
 * @param work must make what it makes under the id it is told, and find what an earlier attempt has made
 * @throws GalleyError 409 (see claimKey), and what `work` throws: of that nothing is kept
 */
export async function runIdempotent<Answer extends IdempotentResponse>(
  { pool, keyring }: { pool: Pool; keyring: Keyring },
  { accountId, keyId, key, operation, request: sent }: KeyedCall,
  work: (making: IdempotentExecution) => Promise<Answer>,
): Promise<IdempotentResponse> {
  const digest = createHash('sha256')
    .update(JSON.stringify([operation, keyId, sent]))
    .digest()
  const request = { accountId, key, digest }
  const found = await claimKey(pool, request)
  if ('kept' in found) {
    const { subjectId, status, sealed } = found.kept
    return { status, body: JSON.parse(keyring.decrypt(sealed, answerIdentity(subjectId))) }
  }
  const { claim } = found
  const renewing = setInterval(() => {
    // What is not heard goes on all the same; another attempt finds what it made.
    renewClaim(pool, request, claim).catch(() => undefined)
  }, KEY_RENEW_MS)
  try {
    const answer = await work(executionOf(claim))
    const sealed = keyring.encrypt(JSON.stringify(answer.body), answerIdentity(claim.subjectId))
    const kept = { fence: claim.fence, status: answer.status, sealed }
    if (!(await storeAnswer(pool, request, kept))) throw keyInUse()
    return answer
  } catch (error) {
    await releaseAfterFailure(pool, request, claim, error)
    throw error
  } finally {
    clearInterval(renewing)
  }
}

/** What the answer is bound to in the database. */
const answerIdentity = (id: string): string => `idempotency_key:${id}:answer`

/** What was answered to keyed requests. Older ones are about to be forgotten. */
export const idempotentAnswer: SealedColumn = {
  table: 'idempotency_key',
  column: 'answer',
  key: ['id'],
  of: 'accounts',
  read: (keyring, { id }, sealed) => keyring.decrypt(sealed, answerIdentity(id as string)),
  seal: (keyring, { id }, secret) => keyring.encrypt(secret, answerIdentity(id as string)),
}

const executionOf = ({ subjectId, fence, since }: KeyClaim): IdempotentExecution => ({
  id: subjectId,
  againSince: fence > 1 ? since : undefined,
})

/** What is refused has made nothing; of any other failure nobody knows. Where this fails, the lease ends by itself. */
async function releaseAfterFailure(
  pool: Pool,
  request: IdempotentRequest,
  claim: KeyClaim,
  error: unknown,
): Promise<void> {
  const refused = error instanceof GalleyError && error.httpStatus >= 400 && error.httpStatus < 500
  // A later attempt at what an earlier one may have made keeps its id.
  const given = refused && claim.fence === 1 ? deleteKey : releaseKey
  await given(pool, request, claim).catch(() => undefined)
}

/** Removes what is older than a day. */
const purgeKeysJob = defineJob({ name: 'forget_idempotency_keys', payload: z.object({}) })

/** Rows a statement: short enough that nobody waits behind it. */
const PURGE_BATCH = 1_000

/** What idempotency needs done: that keys are forgotten after 24 hours. */
export const idempotencyWork =
  (pool: Pool): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(
        purgeKeysJob,
        async () => {
          while (!stopping.aborted && (await purgeOldKeys(pool)) === PURGE_BATCH);
        },
        '23 * * * *',
      ),
    ],
  })

/** @returns how many were forgotten, a batch at most */
export async function purgeOldKeys(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    named(
      `DELETE FROM idempotency_key WHERE id = ANY (ARRAY(
         SELECT id FROM idempotency_key
         WHERE created_at < now() - interval '24 hours' AND coalesce(leased_until, now()) <= now()
         ORDER BY created_at LIMIT :batch FOR UPDATE SKIP LOCKED))`,
      { batch: PURGE_BATCH },
    ),
  )
  return rowCount ?? 0
}
