import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { chargeCredits, insertChargeEntries } from '../../accounts/credits.ts'
import type { JobKind, RequestByKind, Tier } from '../../contract/generation/requests.ts'
import { isUniqueViolation } from '../../database/errors.ts'
import { batched, named, queryRows, storableJson } from '../../database/statement.ts'
import { GalleyError, refusal } from '../../errors.ts'
import { blockOf, findBlockedProviders } from '../jobs/blocked-providers.ts'
import { addGenerationJob, BATCHED_BELOW_CHARACTERS } from '../jobs/job.ts'
import { ESPEAK_PACKAGE } from '../providers/espeak/espeak.ts'
import type { Provider, Providers } from '../providers/types.ts'
import type { PriceView } from './jobs.ts'
import { type Prices, priceOf } from './prices.ts'

interface NewJob {
  id: string
  accountId: string
  kind: JobKind
  request: string
  price: number
  idempotencyKey: string | null
  digest: Buffer
}

interface ExistingJob {
  id: string
  digest: Buffer
}

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

const MOST_KEY_RACES = 3

/**
 * Creates a job, once for an `Idempotency-Key`, paid in the statement that stores it.
 * @returns its id
 * @throws GalleyError 409 `IDEMPOTENCY_KEY_REUSED`, 402 `INSUFFICIENT_CREDITS`, 503
 * `PROVIDER_NOT_CONFIGURED` or `PROVIDER_UNAVAILABLE`, in this order; what `check` throws comes before the 402
 */
export async function createJob<Kind extends JobKind>(
  { pool, providers, prices }: JobCreation,
  { accountId, kind, request, idempotencyKey, check }: JobRequest<Kind>,
): Promise<string> {
  const job: NewJob = {
    id: uuid(),
    accountId,
    kind,
    request: storableJson(request),
    price: priceOf(kind, request, prices),
    idempotencyKey: idempotencyKey ?? null,
    digest: createHash('sha256')
      .update(JSON.stringify([kind, request]))
      .digest(),
  }
  // First: a request that was accepted once is answered alike, whatever has changed since.
  const known = idempotencyKey === undefined ? undefined : await findByKey(pool, job)
  if (known !== undefined) return repeatedJob(known, job)
  await check(request)
  const missing = await missingProvider(pool, providers, { kind, request })
  if (missing !== undefined) {
    // Too few credits are reported first; only the storing statement is authoritative.
    const balance = await balanceOf(pool, accountId)
    throw balance !== null && balance < job.price ? insufficientCredits(job, balance) : missing
  }
  return storeOrFind(pool, job)
}

async function storeOrFind(pool: Pool, job: NewJob): Promise<string> {
  for (let tries = 1; ; tries += 1)
    try {
      const { made, known_id, known_digest } = await storeJob(pool, job)
      if (made) return job.id
      // A concurrent request with the same key took the credits.
      const known =
        known_id && known_digest ? { id: known_id, digest: known_digest } : await findByKey(pool, job)
      if (known !== undefined) return repeatedJob(known, job)
      throw insufficientCredits(job, (await balanceOf(pool, job.accountId)) ?? 0)
    } catch (error) {
      // A concurrent request with the same key was first; the next try sees it.
      if (!isUniqueViolation(error) || tries === MOST_KEY_RACES) throw error
    }
}

interface StoredJobRow {
  id: string
  made: boolean
  known_id: string | null
  known_digest: Buffer | null
}

/** Stores, charges and queues a job in one statement, shared within a tick. @throws of the database: the key was used first */
async function storeJob(pool: Pool, job: NewJob): Promise<StoredJobRow> {
  const alone = async () => (await storeJobs(pool, [job]))[0] as StoredJobRow
  if (job.request.length >= BATCHED_BELOW_CHARACTERS) return alone()
  const stored = await batched(pool, `store-jobs ${job.accountId}`, job, (all) => storeJobs(pool, all))
  // The account cannot pay for all of them, but perhaps for this one.
  return stored.made || stored.known_id ? stored : alone()
}

async function storeJobs(pool: Pool, all: readonly NewJob[]): Promise<StoredJobRow[]> {
  const { rows } = await pool.query<StoredJobRow>({
    name: 'store-generation-jobs',
    ...named(STORE_JOBS, {
      accountId: all[0]?.accountId,
      ids: all.map(({ id }) => id),
      kinds: all.map(({ kind }) => kind),
      requests: all.map(({ request }) => request),
      prices: all.map(({ price }) => price),
      keys: all.map(({ idempotencyKey }) => idempotencyKey),
      digests: all.map(({ digest }) => digest),
    }),
  })
  const stored = new Map(rows.map((row) => [row.id, row]))
  return all.map(({ id }) => stored.get(id) as StoredJobRow)
}

const STORE_JOBS = `
WITH asked AS (
  SELECT * FROM unnest(:ids::uuid[], :kinds::text[], :requests::jsonb[], :prices::int[], :keys::text[], :digests::bytea[])
    AS asked (id, kind, request, price, key, digest)
),
known AS (
  SELECT asked.id, job.id AS known_id, job.request_digest AS known_digest
  -- One by one: else all jobs of the account may be read for it.
  FROM asked CROSS JOIN LATERAL (
    SELECT id, request_digest FROM generation_job
    WHERE account_id = :accountId::uuid AND idempotency_key = asked.key LIMIT 1
  ) job
),
fresh AS (SELECT * FROM asked WHERE NOT EXISTS (SELECT FROM known WHERE known.id = asked.id)),
${chargeCredits({
  ...{ accountId: ':accountId::uuid', price: '(SELECT sum(price) FROM fresh)' },
  where: 'EXISTS (SELECT FROM fresh)',
})},
made AS (
  INSERT INTO generation_job (id, account_id, kind, request, price, idempotency_key, request_digest)
  SELECT id, account_id, kind, request, price, key, digest FROM fresh CROSS JOIN payer
  -- In one order: else two statements with the same keys would wait for each other.
  ORDER BY key, id
  RETURNING id, account_id, price
),
charges AS (
  SELECT made.account_id, made.id AS job_id, CASE payer.amount WHEN 0 THEN 0 ELSE -made.price END AS amount, made.price
  FROM made JOIN payer USING (account_id)
),
${insertChargeEntries('charges')},
queued AS MATERIALIZED (
  SELECT ${addGenerationJob({ jobId: 'first.id', beside: 'first.beside' })}
  FROM (SELECT id, count(*) OVER () - 1 AS beside FROM made LIMIT 1) AS first
)
SELECT asked.id, made.id IS NOT NULL AS made, known.known_id, known.known_digest
FROM asked LEFT JOIN made USING (id) LEFT JOIN known USING (id) CROSS JOIN (SELECT count(*) FROM queued) AS woken`

async function findByKey(
  pool: Pool,
  { accountId, idempotencyKey }: Pick<NewJob, 'accountId' | 'idempotencyKey'>,
): Promise<ExistingJob | undefined> {
  const rows = await queryRows<ExistingJob>(
    pool,
    `SELECT id, request_digest AS digest FROM generation_job
      WHERE account_id = :accountId::uuid AND idempotency_key = :idempotencyKey::text`,
    { accountId, idempotencyKey },
  )
  return rows[0]
}

async function balanceOf(pool: Pool, accountId: string): Promise<number | null> {
  const rows = await queryRows<{ credits: number | null }>(
    pool,
    `SELECT CASE WHEN unlimited THEN NULL ELSE credits END AS credits FROM account WHERE id = :accountId::uuid`,
    { accountId },
  )
  return rows[0]?.credits ?? null
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
  refusal(
    'INSUFFICIENT_CREDITS',
    `This job costs ${price} credits, and the account has ${credits}. Ask whoever runs this Galley for more.`,
    402,
    { price, credits },
  )

type Capability = ReturnType<typeof capability>

/** What only the file of `GALLEY_PROVIDERS` can name, unless other settings are given: not every text endpoint offers it. */
const capability = (what: string, candidates: readonly Provider[], settings = ['GALLEY_PROVIDERS']) => ({
  what,
  candidates,
  settings,
})

const TEXT_SETTINGS = ['GALLEY_AI_URL', 'GALLEY_AI_KEY', 'GALLEY_AI_MODEL', 'GALLEY_PROVIDERS']

const speech = (tier: Tier, providers: Providers) =>
  capability(
    `speech of the tier ${tier} (the package ${ESPEAK_PACKAGE} speaks without any service)`,
    providers.speech(tier),
  )

const capabilities: {
  [Kind in JobKind]: (request: RequestByKind[Kind], providers: Providers) => Capability[]
} = {
  document: ({ text, research, image, audio }, providers) => {
    const pictures = `pictures of the tier ${image.model} (or send image.enabled: false)`
    return [
      capability(`text of the tier ${text.model}`, providers.text(text.model), TEXT_SETTINGS),
      capability(`research of the tier ${research.model}`, providers.research(research.model), TEXT_SETTINGS),
      ...(image.enabled ? [capability(pictures, providers.pictures(image.model))] : []),
      ...(audio.enabled ? [speech(audio.model, providers)] : []),
    ]
  },
  audio: ({ model }, providers) => [speech(model, providers)],
  image: (request, providers) => {
    const all = providers.pictures(request.model)
    const reasons = all.map((provider) => provider.cannot({ ...request, subject: request.prompt }))
    const able = all.filter((_, index) => reasons[index] === undefined)
    const why = all.length > 0 ? `such a picture: ${[...new Set(reasons)].join('; ')}` : undefined
    return [capability(why ?? `pictures of the tier ${request.model}`, able)]
  },
}

/** 503 where something is of no provider, or of blocked ones only; other trouble passes by itself, and the job waits. */
async function missingProvider<Kind extends JobKind>(
  pool: Pool,
  providers: Providers,
  { kind, request }: { kind: Kind; request: RequestByKind[Kind] },
): Promise<GalleyError | undefined> {
  const needed = capabilities[kind](request, providers)
  const lacks = needed.filter(({ candidates }) => candidates.length === 0)
  if (lacks.length > 0) return providerNotConfigured(lacks)
  const blocked = await findBlockedProviders(pool)
  const blocks = needed
    .map(({ candidates }) => candidates.map((one) => blockOf(blocked, one)))
    .filter((those) => those.every((one) => one !== undefined))
  if (blocks.length === 0) return undefined
  return refusal(
    'PROVIDER_UNAVAILABLE',
    [...new Set(blocks.flat().map((one) => one?.message))].join(' '),
    503,
    { settings: [] },
  )
}

function providerNotConfigured(lacks: readonly Capability[]): GalleyError {
  const settings = [...new Set(lacks.flatMap((lack) => lack.settings))]
  return refusal(
    'PROVIDER_NOT_CONFIGURED',
    `No provider is set up for ${lacks.map(({ what }) => what).join('; ')}. Whoever runs this Galley sets ${settings.join(', ')}; docs/generation.md says how.`,
    503,
    { settings },
  )
}

/** The price of a request, and whether it can be made here. @throws what `check` throws */
export async function quotePrice<Kind extends JobKind>(
  { pool, providers, prices }: JobCreation,
  { accountId, kind, request, check }: Omit<JobRequest<Kind>, 'idempotencyKey'>,
): Promise<PriceView> {
  await check(request)
  const missing = await missingProvider(pool, providers, { kind, request })
  const { settings } = (missing?.details ?? {}) as { settings: string[] }
  return {
    price: priceOf(kind, request, prices),
    credits: await balanceOf(pool, accountId),
    unavailable: missing === undefined ? null : { message: missing.message, settings },
  }
}
