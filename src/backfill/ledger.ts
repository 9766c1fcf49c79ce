import type { Pool } from 'pg'
import { named } from '../database/named.ts'
import { storableJson } from '../database/storable.ts'
import type { GalleyError } from '../errors.ts'
import { IS_ENABLED } from '../jobs/under-way.ts'
import type { SourceId } from '../sources/sources.ts'
import type { BackfillDocumentStatus } from './schema.ts'

/** For which nobody else asks for a document that a process is asking for, in milliseconds: it may have died. */
const LEASE_MS = 5 * 60_000

/** A document to be asked for. */
export interface Due {
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
export async function nextDue(pool: Pool, { accountId, id }: SourceId): Promise<Due | null> {
  const { rows } = await pool.query<Due>(
    named(
      `WITH next AS (
         SELECT b.document_id, s.site_ids, s.labels FROM backfill_document b
         JOIN source s ON s.id = b.source_id AND s.disabled_at IS NULL AND s.removed_at IS NULL
         WHERE b.source_id = :id AND b.account_id = :accountId AND b.due_at <= now() AND ${IS_ENABLED(':accountId::uuid')}
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
const HERE = ['found', 'announced'] satisfies BackfillDocumentStatus[]

/** What became of a document is known, or will not be. */
export async function ended(
  pool: Pool,
  { id }: SourceId,
  { documentId, leasedUntil }: Due,
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
      { id, documentId, leasedUntil, status, here: HERE, problem: asJson(problem) },
    ),
  )
}

/** It is asked for again. @param counts whether this try was one: an upstream in trouble was not asked about it */
export async function askAgain(
  pool: Pool,
  { id }: SourceId,
  { documentId, leasedUntil }: Due,
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
