import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { JobKind, Requests } from '../../contract/generation/requests.ts'
import { isTaken } from '../../database/sqlstates.ts'
import { GalleyError } from '../../errors.ts'
import type { Providers } from '../providers/types.ts'
import { checkProviders } from './able.ts'
import { type Prices, priceOf } from './prices.ts'
import { balanceOf, findByKey, type KnownJob, type NewJob, storeJob } from './store.ts'

/** What jobs are created with. */
export interface Creation {
  pool: Pool
  providers: Providers
  prices: Prices
}

/** A request for a job, as its schema has read it. */
export interface Asked<Kind extends JobKind> {
  accountId: string
  kind: Kind
  request: Requests[Kind]
  idempotencyKey: string | undefined
  /** What can be wrong with the request beside what its schema sees; throws where something is. */
  check(request: Requests[Kind]): Promise<void>
}

/** How often a request may find that another with its key was first, and then that its job is gone. */
const TRIES = 3

/**
 * Makes a job: once for an `Idempotency-Key`, paid in the statement that stores it.
 *
 * @returns its id
 * @throws GalleyError 409 `IDEMPOTENCY_KEY_REUSED`, 402 `INSUFFICIENT_CREDITS`, 503 `PROVIDER_NOT_CONFIGURED`, in this order;
 *   what `check` throws comes before the 402
 */
export async function createJob<Kind extends JobKind>(
  { pool, providers, prices }: Creation,
  { accountId, kind, request, idempotencyKey, check }: Asked<Kind>,
): Promise<string> {
  const job: NewJob = {
    id: uuid(),
    accountId,
    kind,
    request,
    price: priceOf(kind, request, prices),
    idempotencyKey: idempotencyKey ?? null,
    digest: createHash('sha256')
      .update(JSON.stringify([kind, request]))
      .digest(),
  }
  // Before anything else is asked: what was accepted once is answered alike, whatever has changed since.
  if (idempotencyKey !== undefined) {
    const known = await findByKey(pool, { accountId, idempotencyKey })
    if (known !== undefined) return repeated(known, job)
  }
  await check(request)
  await checkAffordable(pool, job, () => checkProviders(kind, request, providers))
  return store(pool, job)
}

/** Too few credits are told before a missing provider is, though only the statement that takes them knows for sure. */
async function checkAffordable(pool: Pool, job: NewJob, able: () => void): Promise<void> {
  try {
    able()
  } catch (error) {
    const balance = await balanceOf(pool, job.accountId)
    throw balance !== null && balance < job.price ? unpaid(job, balance) : error
  }
}

async function store(pool: Pool, job: NewJob): Promise<string> {
  for (let tries = 1; ; tries += 1)
    try {
      const stored = await storeJob(pool, job)
      if (stored.outcome === 'known') return repeated(stored.job, job)
      if (stored.outcome === 'unpaid') {
        // Another request with the same key was first, and has taken the credits.
        const { accountId, idempotencyKey } = job
        const known =
          idempotencyKey === null ? undefined : await findByKey(pool, { accountId, idempotencyKey })
        if (known !== undefined) return repeated(known, job)
        throw unpaid(job, (await balanceOf(pool, accountId)) ?? 0)
      }
      return job.id
    } catch (error) {
      // Another request with the same key was first, after this statement had looked: it is seen now.
      if (!isTaken(error) || tries === TRIES) throw error
    }
}

function repeated(known: KnownJob, job: NewJob): string {
  if (known.digest.equals(job.digest)) return known.id
  throw new GalleyError({
    code: 'IDEMPOTENCY_KEY_REUSED',
    httpStatus: 409,
    fault: 'delivery',
    message: `This Idempotency-Key was sent before, with another request, which became job ${known.id}. Send a key of its own with each request.`,
    details: { id: known.id },
  })
}

const unpaid = ({ price }: NewJob, credits: number): GalleyError =>
  new GalleyError({
    code: 'INSUFFICIENT_CREDITS',
    httpStatus: 402,
    fault: 'owner',
    action: 'owner',
    message: `This job costs ${price} credits, and the account has ${credits}. Ask whoever runs this Galley for more.`,
    details: { price, credits },
  })
