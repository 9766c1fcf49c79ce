import type { Pool } from 'pg'
import { chargeCredits, enterCharges } from '../../accounts/credits.ts'
import type { JobKind } from '../../contract/generation/requests.ts'
import { named } from '../../database/named.ts'
import { storableJson } from '../../database/storable.ts'
import { addGenerateJob } from '../jobs/job.ts'

/** A job, priced and ready to be stored. */
export interface NewJob {
  id: string
  accountId: string
  kind: JobKind
  request: unknown
  price: number
  idempotencyKey: string | null
  /** SHA-256 of kind and request. */
  digest: Buffer
}

/** A job that this account has under the same `Idempotency-Key`. */
export interface KnownJob {
  id: string
  digest: Buffer
}

/** `made`: it is stored and paid. `known`: nothing was done. `unpaid`: the account has too few credits, and nothing was done. */
export type Storing = { outcome: 'made' } | { outcome: 'known'; job: KnownJob } | { outcome: 'unpaid' }

/**
 * Stores a job, takes its credits, enters that into the ledger and adds the job to the queue, in one statement: all of it
 * or nothing.
 *
 * @throws of the database: another request with the same key has just been first ({@link isTaken}), and nothing was done
 */
export async function storeJob(pool: Pool, { request, ...job }: NewJob): Promise<Storing> {
  const { rows } = await pool.query<{ made: boolean; known_id: string | null; known_digest: Buffer | null }>({
    name: 'store-generation-job',
    ...named(STATEMENT, { ...job, request: storableJson(request) }),
  })
  const [stored] = rows
  if (stored?.known_id && stored.known_digest)
    return { outcome: 'known', job: { id: stored.known_id, digest: stored.known_digest } }
  return { outcome: stored?.made ? 'made' : 'unpaid' }
}

const STATEMENT = `
WITH known AS (
  SELECT id, request_digest FROM generation_job
  WHERE account_id = :accountId::uuid AND idempotency_key = :idempotencyKey::text
),
${chargeCredits({ accountId: ':accountId::uuid', price: ':price::int', where: 'NOT EXISTS (SELECT FROM known)' })},
made AS (
  INSERT INTO generation_job (id, account_id, kind, request, price, idempotency_key, request_digest)
  SELECT :id::uuid, account_id, :kind::text, :request::jsonb, :price::int, :idempotencyKey::text, :digest::bytea FROM payer
  RETURNING id, account_id, price
),
charges AS (SELECT made.account_id, made.id AS job_id, payer.amount, made.price FROM made JOIN payer USING (account_id)),
${enterCharges('charges')},
queued AS (SELECT ${addGenerateJob('made.id')} FROM made)
SELECT (SELECT count(*) FROM queued) = 1 AS made, known.id AS known_id, known.request_digest AS known_digest
FROM (VALUES (1)) AS one LEFT JOIN known ON true`

/** The job of this account under a key; undefined where there is none. */
export async function findByKey(
  pool: Pool,
  { accountId, idempotencyKey }: { accountId: string; idempotencyKey: string },
): Promise<KnownJob | undefined> {
  const { rows } = await pool.query<KnownJob>(
    named(
      `SELECT id, request_digest AS digest FROM generation_job
      WHERE account_id = :accountId::uuid AND idempotency_key = :idempotencyKey::text`,
      { accountId, idempotencyKey },
    ),
  )
  return rows[0]
}

/** What an account can pay with: null for one without a limit. */
export async function balanceOf(pool: Pool, accountId: string): Promise<number | null> {
  const { rows } = await pool.query<{ credits: number | null }>(
    named(
      `SELECT CASE WHEN unlimited THEN NULL ELSE credits END AS credits FROM account WHERE id = :accountId::uuid`,
      {
        accountId,
      },
    ),
  )
  return rows[0]?.credits ?? null
}
