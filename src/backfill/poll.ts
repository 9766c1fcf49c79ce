import type { Pool } from 'pg'
import type { ByteBudget } from '../bytes/index.ts'
import { named, storableJson } from '../database/statement.ts'
import { GalleyError } from '../errors.ts'
import type { PlanRejection, UpstreamEvent } from '../intake/direct.ts'
import { IS_ACCOUNT_ENABLED } from '../jobs/unfinished-jobs.ts'
import type { SourceId } from '../sources/sources.ts'
import { fetchWithinBudget, type UpstreamClient } from '../upstream/ask.ts'
import { isUpstreamTrouble } from '../upstream/failures.ts'
import type { BackfillDocumentStatus } from './requests.ts'

interface PollContext {
  pool: Pool
  budget: ByteBudget
  upstreams: UpstreamClient
  /** Intake of an upstream's answer. */
  store(event: UpstreamEvent): Promise<PlanRejection>
  stopping: AbortSignal
  /** Milliseconds until an incomplete document is requested again; doubled every time, up to six hours. */
  firstMs: number
}

const MAX_BACKOFF_MS = 6 * 3_600_000

/** An incomplete document is given up after this. */
const MAX_DOCUMENT_AGE_MS = 7 * 86_400_000

/** Milliseconds of a source before the next one of its lane. */
const LANE_TURN_MS = 25_000

/**
 * Requests the due documents of one source in sequence; stops when the upstream is in trouble.
 *
 * @returns whether more may be due
 */
export async function pollDueDocuments(asking: PollContext, source: SourceId): Promise<boolean> {
  const end = performance.now() + LANE_TURN_MS
  while (!asking.stopping.aborted && performance.now() < end) {
    const due = await claimDueDocument(asking.pool, source)
    if (due === null || !(await pollDocument(asking, source, due))) return false
  }
  return true
}

/** @returns whether the upstream works */
async function pollDocument(asking: PollContext, source: SourceId, due: DueDocument): Promise<boolean> {
  const { pool } = asking
  if (due.announced) {
    await settleDocument(pool, source, due, { status: 'announced' })
    return true
  }
  try {
    const problem = await ingestDocument(asking, source, due)
    await settleDocument(pool, source, due, { status: 'found', problem })
    return true
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const status = FINAL_STATUSES[error.code]
    if (status !== undefined) await settleDocument(pool, source, due, { status, problem: error })
    else if (error.code === 'upstream_not_completed') await retryLater(asking, source, due, error)
    else await retryUncounted(asking, source, due, error)
    return !isUpstreamTrouble(error)
  }
}

/** Failures after which a document is not requested again. */
const FINAL_STATUSES: Readonly<Record<string, Exclude<BackfillDocumentStatus, 'waiting'>>> = {
  upstream_document_failed: 'failed',
  upstream_document_unknown: 'unknown',
  upstream_answer_unusable: 'unusable',
  upstream_answer_too_big: 'unusable',
}

async function ingestDocument(
  asking: PollContext,
  source: SourceId,
  due: DueDocument,
): Promise<PlanRejection> {
  const { documentId, delivery, siteIds, labels } = due
  const { body, room } = await fetchWithinBudget(asking, { source, documentId, delivery })
  try {
    return await asking.store({ source: { ...source, siteIds, labels }, body })
  } finally {
    room.release()
  }
}

async function retryLater(
  { pool, firstMs }: PollContext,
  source: SourceId,
  due: DueDocument,
  problem: GalleyError,
): Promise<void> {
  const { tries, ageMs } = due
  if (ageMs > MAX_DOCUMENT_AGE_MS) return settleDocument(pool, source, due, { status: 'given_up', problem })
  const inMs = Math.min(firstMs * 2 ** Math.min(tries - 1, 20), MAX_BACKOFF_MS)
  await rescheduleDocument(pool, source, due, { problem, inMs, counts: true })
}

/** Trouble of the upstream or of Galley counts neither as a try nor towards the document's age limit. */
const retryUncounted = (
  { pool, firstMs }: PollContext,
  source: SourceId,
  due: DueDocument,
  problem: GalleyError,
): Promise<void> =>
  rescheduleDocument(pool, source, due, { problem, inMs: problem.retryAfterMs ?? firstMs, counts: false })

/** Milliseconds after which another process takes over: the holder may have died. */
const LEASE_MS = 5 * 60_000

interface DueDocument {
  documentId: string
  /** `due_at` of the claim. A new request for the document changes it, which makes this claim's result stale. */
  leasedUntil: Date
  delivery: object | null
  /** Includes this one. */
  tries: number
  /** Milliseconds since the document was requested. */
  ageMs: number
  /** A delivery of it exists. */
  announced: boolean
  /** The limits of its source. */
  siteIds: string[]
  labels: string[]
}

/** Leases the next due document; null where none is due, or the source or its account is disabled. */
export async function claimDueDocument(pool: Pool, { accountId, id }: SourceId): Promise<DueDocument | null> {
  const { rows } = await pool.query<DueDocument>(
    named(
      `WITH next AS (
         SELECT b.document_id, s.site_ids, s.labels FROM backfill_document b
         JOIN source s ON s.id = b.source_id AND s.disabled_at IS NULL AND s.removed_at IS NULL
         WHERE b.source_id = :id AND b.account_id = :accountId AND b.due_at <= now() AND ${IS_ACCOUNT_ENABLED(':accountId::uuid')}
         ORDER BY b.due_at LIMIT 1 FOR UPDATE OF b SKIP LOCKED
       )
       UPDATE backfill_document b SET due_at = now() + ${LEASE_MS} * interval '1 millisecond', tries = b.tries + 1
       FROM next WHERE b.source_id = :id AND b.document_id = next.document_id
       RETURNING b.document_id AS "documentId", b.due_at AS "leasedUntil", b.delivery, b.tries,
         (extract(epoch FROM now() - b.created_at) * 1000)::float8 AS "ageMs",
         EXISTS (SELECT FROM delivery d
           WHERE d.account_id = :accountId AND d.document_id = b.document_id) AS announced,
         next.site_ids AS "siteIds", next.labels`,
      { accountId, id },
    ),
  )
  return rows[0] ?? null
}

type Problem = Pick<GalleyError, 'code' | 'message'>

const asJson = (problem: Problem | null): string | null =>
  problem === null ? null : storableJson({ code: problem.code, message: problem.message })

/** Final even if the document was requested again in the meantime. */
const RECEIVED_STATUSES = ['found', 'announced'] satisfies BackfillDocumentStatus[]

async function settleDocument(
  pool: Pool,
  { id }: SourceId,
  { documentId, leasedUntil }: DueDocument,
  {
    status,
    problem = null,
  }: { status: Exclude<BackfillDocumentStatus, 'waiting'>; problem?: Problem | null },
): Promise<void> {
  await pool.query(
    named(
      `UPDATE backfill_document SET status = :status, problem = :problem, due_at = NULL, ended_at = now()
       WHERE source_id = :id AND document_id = :documentId AND status = 'waiting'
         AND (due_at = :leasedUntil OR :status = ANY (:here))`,
      { id, documentId, leasedUntil, status, here: RECEIVED_STATUSES, problem: asJson(problem) },
    ),
  )
}

/** @param counts whether the request counts as a try */
async function rescheduleDocument(
  pool: Pool,
  { id }: SourceId,
  { documentId, leasedUntil }: DueDocument,
  { problem, inMs, counts }: { problem: Problem; inMs: number; counts: boolean },
): Promise<void> {
  await pool.query(
    named(
      `UPDATE backfill_document SET problem = :problem, due_at = now() + :inMs::float8 * interval '1 millisecond',
         tries = tries - CASE WHEN :counts THEN 0 ELSE 1 END
       WHERE source_id = :id AND document_id = :documentId AND status = 'waiting' AND due_at = :leasedUntil`,
      { id, documentId, leasedUntil, problem: asJson(problem), inMs, counts },
    ),
  )
}
