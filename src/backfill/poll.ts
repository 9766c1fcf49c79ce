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

/** What asking takes. */
interface PollContext {
  pool: Pool
  budget: ByteBudget
  upstreams: UpstreamClient
  /** Intake's way in for what an upstream answers. */
  store(event: UpstreamEvent): Promise<PlanRejection>
  stopping: AbortSignal
  /** Milliseconds until a document that is not completed is asked for again; doubled every time, up to six hours. */
  firstMs: number
}

const MAX_BACKOFF_MS = 6 * 3_600_000

/** A document that is not completed by then never will be. */
const MAX_DOCUMENT_AGE_MS = 7 * 86_400_000

/** Milliseconds that a source has before others of its lane have their turn. */
const LANE_TURN_MS = 25_000

/**
 * Asks the upstream of one source for what is due, one after the other. One that is in trouble is not asked further.
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

/** @returns whether the upstream is well */
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

/** Answers after which a document is asked for no more. */
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

/** The upstream, or Galley itself, is in trouble: that says nothing about the document, however old that gets. */
const retryUncounted = (
  { pool, firstMs }: PollContext,
  source: SourceId,
  due: DueDocument,
  problem: GalleyError,
): Promise<void> =>
  rescheduleDocument(pool, source, due, { problem, inMs: problem.retryAfterMs ?? firstMs, counts: false })

/** For which nobody else asks for a document that a process is asking for, in milliseconds: it may have died. */
const LEASE_MS = 5 * 60_000

/** A document to be asked for. */
interface DueDocument {
  documentId: string
  /** Nobody else asks before. Whoever wants it asked for again in the meantime changes that, and what is heard is of before. */
  leasedUntil: Date
  delivery: object | null
  /** Including this one. */
  tries: number
  /** Milliseconds since it was first to be asked for. */
  ageMs: number
  /** A delivery of it is there: it was announced, or sent by somebody else. */
  announced: boolean
  /** The limits of its source. */
  siteIds: string[]
  labels: string[]
}

/** The next document that is due; null where none is, or where the source or its account is disabled. */
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

/** Its document is here: that holds, whoever wants it asked for again in the meantime. */
const RECEIVED_STATUSES = ['found', 'announced'] satisfies BackfillDocumentStatus[]

/** What became of a document is known, or will not be. */
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

/** It is asked for again. @param counts whether this try was one: an upstream in trouble was not asked about it */
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
