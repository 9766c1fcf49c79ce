import type { Pool } from 'pg'
import { chargeCredits, insertChargeEntries } from '../../accounts/credits.ts'
import type { JobKind } from '../../contract/generation/requests.ts'
import { batched, named, queryRows, storableJson } from '../../database/statement.ts'
import { addGenerationJob, BATCHED_BELOW_CHARACTERS } from '../jobs/job.ts'

export interface NewJob {
  id: string
  accountId: string
  kind: JobKind
  request: unknown
  price: number
  idempotencyKey: string | null
  digest: Buffer
}

export interface ExistingJob {
  id: string
  digest: Buffer
}

/** `made`: stored and paid. `known`: exists already. `unpaid`: too few credits. */
type StoreOutcome = { outcome: 'made' } | { outcome: 'known'; job: ExistingJob } | { outcome: 'unpaid' }

/** Stores, charges and queues a job in one statement, shared within a tick. @throws of the database: the key was used first */
export async function storeJob(pool: Pool, { request, ...job }: NewJob): Promise<StoreOutcome> {
  const asked = { ...job, request: storableJson(request) }
  const shared = asked.request.length < BATCHED_BELOW_CHARACTERS
  const stored = shared
    ? await batched(pool, `store-jobs ${job.accountId}`, asked, (all) => storeJobs(pool, all))
    : undefined
  // The account cannot pay for all of them, but perhaps for this one.
  const { made, known_id, known_digest } =
    stored?.made || stored?.known_id || stored?.alone
      ? stored
      : ((await storeJobs(pool, [asked]))[0] as StoredJobRow)
  if (known_id && known_digest) return { outcome: 'known', job: { id: known_id, digest: known_digest } }
  return { outcome: made ? 'made' : 'unpaid' }
}

type StorableJob = Omit<NewJob, 'request'> & { request: string }

interface StoredJobRow {
  id: string
  made: boolean
  /** Whether the statement paid for no other job. */
  alone: boolean
  known_id: string | null
  known_digest: Buffer | null
}

async function storeJobs(pool: Pool, all: readonly StorableJob[]): Promise<StoredJobRow[]> {
  const { rows } = await pool.query<Omit<StoredJobRow, 'alone'>>({
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
  const stored = new Map(rows.map((row) => [row.id, { ...row, alone: all.length === 1 }]))
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

export async function findByKey(
  pool: Pool,
  { accountId, idempotencyKey }: { accountId: string; idempotencyKey: string },
): Promise<ExistingJob | undefined> {
  const rows = await queryRows<ExistingJob>(
    pool,
    `SELECT id, request_digest AS digest FROM generation_job
      WHERE account_id = :accountId::uuid AND idempotency_key = :idempotencyKey::text`,
    { accountId, idempotencyKey },
  )
  return rows[0]
}

export async function balanceOf(pool: Pool, accountId: string): Promise<number | null> {
  const rows = await queryRows<{ credits: number | null }>(
    pool,
    `SELECT CASE WHEN unlimited THEN NULL ELSE credits END AS credits FROM account WHERE id = :accountId::uuid`,
    { accountId },
  )
  return rows[0]?.credits ?? null
}
