import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { GalleyError } from '../errors.ts'
import type { Keyring, SealedColumn } from '../secrets/index.ts'
import {
  type Claim,
  claimKey,
  forgetKey,
  inUse,
  type KeyedRequest,
  keepAnswer,
  RENEW_MS,
  releaseKey,
  renewClaim,
} from './claim.ts'

/** What a request is to make. */
export interface Making {
  /** The id that it gets, the same in every attempt at one request. */
  id: string
  /** When an earlier attempt at it began, which may have made it and died; undefined for the first. */
  againSince: Date | undefined
}

/** An answer that can be given again. */
export interface Answered {
  status: number
  body: { success: boolean }
}

interface Asked {
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
export async function once<Answer extends Answered>(
  { pool, keyring }: { pool: Pool; keyring: Keyring },
  { accountId, keyId, key, operation, request: sent }: Asked,
  work: (making: Making) => Promise<Answer>,
): Promise<Answered> {
  const digest = createHash('sha256')
    .update(JSON.stringify([operation, keyId, sent]))
    .digest()
  const request = { accountId, key, digest }
  const found = await claimKey(pool, request)
  if ('kept' in found) {
    const { subjectId, status, sealed } = found.kept
    return { status, body: JSON.parse(keyring.decrypt(sealed, identityOf(subjectId))) }
  }
  const { claim } = found
  const renewing = setInterval(() => {
    // What is not heard goes on all the same; another attempt finds what it made.
    renewClaim(pool, request, claim).catch(() => undefined)
  }, RENEW_MS)
  try {
    const answer = await work(makingOf(claim))
    const sealed = keyring.encrypt(JSON.stringify(answer.body), identityOf(claim.subjectId))
    const kept = { fence: claim.fence, status: answer.status, sealed }
    if (!(await keepAnswer(pool, request, kept))) throw inUse()
    return answer
  } catch (error) {
    await giveBack(pool, request, claim, error)
    throw error
  } finally {
    clearInterval(renewing)
  }
}

/** What the answer is bound to in the database. */
const identityOf = (id: string): string => `idempotency_key:${id}:answer`

/** What was answered to keyed requests. Older ones are about to be forgotten. */
export const idempotentAnswer: SealedColumn = {
  table: 'idempotency_key',
  column: 'answer',
  key: ['id'],
  of: 'accounts',
  read: (keyring, { id }, sealed) => keyring.decrypt(sealed, identityOf(id as string)),
  seal: (keyring, { id }, secret) => keyring.encrypt(secret, identityOf(id as string)),
}

const makingOf = ({ subjectId, fence, since }: Claim): Making => ({
  id: subjectId,
  againSince: fence > 1 ? since : undefined,
})

/** What is refused has made nothing; of any other failure nobody knows. Where this fails, the lease ends by itself. */
async function giveBack(pool: Pool, request: KeyedRequest, claim: Claim, error: unknown): Promise<void> {
  const refused = error instanceof GalleyError && error.httpStatus >= 400 && error.httpStatus < 500
  // A later attempt at what an earlier one may have made keeps its id.
  const given = refused && claim.fence === 1 ? forgetKey : releaseKey
  await given(pool, request, claim).catch(() => undefined)
}
