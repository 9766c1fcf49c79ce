import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import { isUniqueViolation } from '../../database/errors.ts'
import { GalleyError } from '../../errors.ts'
import { ESPEAK_PACKAGE } from '../providers/espeak/espeak.ts'
import type { Providers } from '../providers/types.ts'
import type { PriceView } from './jobs.ts'
import { type Prices, priceOf } from './prices.ts'
import { balanceOf, type ExistingJob, findByKey, type NewJob, storeJob } from './store.ts'

interface JobCreation {
  pool: Pool
  providers: Providers
  prices: Prices
}

interface JobRequest<Kind extends JobKind> {
  accountId: string
  kind: Kind
  request: RequestByKind[Kind]
  idempotencyKey: string | undefined
  /** Checks what the schema cannot; throws where something is wrong. */
  check(request: RequestByKind[Kind]): Promise<void>
}

/** Times a request may lose a race for its key and then find that job gone. */
const MOST_KEY_RACES = 3

/**
 * Creates a job, once for an `Idempotency-Key`, paid in the statement that stores it.
 *
 * @returns its id
 * @throws GalleyError 409 `IDEMPOTENCY_KEY_REUSED`, 402 `INSUFFICIENT_CREDITS`, 503
 * `PROVIDER_NOT_CONFIGURED`, in this order; what `check` throws comes before the 402
 */
export async function createJob<Kind extends JobKind>(
  { pool, providers, prices }: JobCreation,
  { accountId, kind, request, idempotencyKey, check }: JobRequest<Kind>,
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
  // First: a request that was accepted once is answered alike, whatever has changed since.
  if (idempotencyKey !== undefined) {
    const known = await findByKey(pool, { accountId, idempotencyKey })
    if (known !== undefined) return repeatedJob(known, job)
  }
  await check(request)
  await checkAffordable(pool, job, () => checkProviders(kind, request, providers))
  return storeOrFind(pool, job)
}

/**
 * Reports too few credits before a missing provider; only the storing statement is authoritative.
 */
async function checkAffordable(pool: Pool, job: NewJob, able: () => void): Promise<void> {
  try {
    able()
  } catch (error) {
    const balance = await balanceOf(pool, job.accountId)
    throw balance !== null && balance < job.price ? insufficientCredits(job, balance) : error
  }
}

async function storeOrFind(pool: Pool, job: NewJob): Promise<string> {
  for (let tries = 1; ; tries += 1)
    try {
      const stored = await storeJob(pool, job)
      if (stored.outcome === 'known') return repeatedJob(stored.job, job)
      if (stored.outcome === 'unpaid') {
        // A concurrent request with the same key took the credits.
        const { accountId, idempotencyKey } = job
        const known =
          idempotencyKey === null ? undefined : await findByKey(pool, { accountId, idempotencyKey })
        if (known !== undefined) return repeatedJob(known, job)
        throw insufficientCredits(job, (await balanceOf(pool, accountId)) ?? 0)
      }
      return job.id
    } catch (error) {
      // A concurrent request with the same key was first; the next try sees it.
      if (!isUniqueViolation(error) || tries === MOST_KEY_RACES) throw error
    }
}

function repeatedJob(known: ExistingJob, job: NewJob): string {
  if (known.digest.equals(job.digest)) return known.id
  throw new GalleyError({
    code: 'IDEMPOTENCY_KEY_REUSED',
    httpStatus: 409,
    fault: 'delivery',
    message: `This Idempotency-Key was sent before, with another request, which became job ${known.id}. Send a key of its own with each request.`,
    details: { id: known.id },
  })
}

const insufficientCredits = ({ price }: NewJob, credits: number): GalleyError =>
  new GalleyError({
    code: 'INSUFFICIENT_CREDITS',
    httpStatus: 402,
    fault: 'owner',
    action: 'owner',
    message: `This job costs ${price} credits, and the account has ${credits}. Ask whoever runs this Galley for more.`,
    details: { price, credits },
  })

/** A step without a provider: its name, and the settings to set. */
interface MissingCapability {
  what: string
  settings: string[]
  /** An alternative to those settings. */
  or?: string
}

const needsTextModel = (what: string): MissingCapability => ({
  what,
  settings: ['GALLEY_AI_URL', 'GALLEY_AI_KEY', 'GALLEY_AI_MODEL', 'GALLEY_PROVIDERS'],
})

/** For what not every text endpoint offers. */
const needsProvider = (what: string): MissingCapability => ({ what, settings: ['GALLEY_PROVIDERS'] })

const needsSpeech = (tier: string): MissingCapability => ({
  ...needsProvider(`speech of the tier ${tier}`),
  or: `installs the package ${ESPEAK_PACKAGE}, which speaks without any service`,
})

const missingCapabilities: {
  [Kind in JobKind]: (request: RequestByKind[Kind], providers: Providers) => (MissingCapability | false)[]
} = {
  document: ({ text, research, image, audio }, providers) => [
    providers.text(text.model).length === 0 && needsTextModel(`text of the tier ${text.model}`),
    providers.research(research.model).length === 0 &&
      needsTextModel(`research of the tier ${research.model}`),
    image.enabled &&
      providers.pictures(image.model).length === 0 &&
      needsProvider(`pictures of the tier ${image.model} (or send image.enabled: false)`),
    audio.enabled && providers.speech(audio.model).length === 0 && needsSpeech(audio.model),
  ],
  audio: ({ model }, providers) => [providers.speech(model).length === 0 && needsSpeech(model)],
  image: (request, providers) => {
    const able = providers.pictures(request.model)
    if (able.length === 0) return [needsProvider(`pictures of the tier ${request.model}`)]
    const reasons = able.map((provider) => provider.cannot({ ...request, subject: request.prompt }))
    if (reasons.includes(undefined)) return []
    return [needsProvider(`such a picture: ${[...new Set(reasons)].join('; ')}`)]
  },
}

/**
 * Checks that each step of a job has a configured provider, whatever its health.
 *
 * @throws GalleyError 503 `PROVIDER_NOT_CONFIGURED`, naming the settings
 */
function checkProviders<Kind extends JobKind>(
  kind: Kind,
  request: RequestByKind[Kind],
  providers: Providers,
): void {
  const lacks = missingCapabilities[kind](request, providers).filter((lack) => lack !== false)
  if (lacks.length === 0) return
  const others = [...new Set(lacks.flatMap(({ or }) => or ?? []))].map((other) => `, or ${other}`).join('')
  const settings = [...new Set(lacks.flatMap((lack) => lack.settings))]
  throw new GalleyError({
    code: 'PROVIDER_NOT_CONFIGURED',
    httpStatus: 503,
    fault: 'owner',
    action: 'owner',
    message: `No provider is set up for ${lacks.map(({ what }) => what).join(', nor for ')}. Whoever runs this Galley sets ${settings.join(', ')}${others}; docs/generation.md says how.`,
    details: { settings },
  })
}

/**
 * The price of a request, and whether it can be made here. Stores nothing and calls nobody.
 *
 * @throws what `check` throws
 */
export async function quotePrice<Kind extends JobKind>(
  { pool, providers, prices }: JobCreation,
  { accountId, kind, request, check }: Omit<JobRequest<Kind>, 'idempotencyKey'>,
): Promise<PriceView> {
  await check(request)
  return {
    price: priceOf(kind, request, prices),
    credits: await balanceOf(pool, accountId),
    unavailable: missingProviderIn(() => checkProviders(kind, request, providers)),
  }
}

function missingProviderIn(able: () => void): PriceView['unavailable'] {
  try {
    able()
    return null
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const { settings } = error.details as { settings: string[] }
    return { message: error.message, settings }
  }
}
