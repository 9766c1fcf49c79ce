import type { Pool } from 'pg'
import { isWireObject } from '../blocks/wire.ts'
import { deliverySchema } from '../contract/delivery.ts'
import { parseJsonBody } from '../contract/payload.ts'
import type { DocumentName } from '../contract/scalars.ts'
import type { Event } from '../database/generated/client.ts'
import { execute, queryRows, storableJson } from '../database/statement.ts'
import { GalleyError } from '../errors.ts'
import type { PlanRejection, UpstreamEvent } from '../intake/direct.ts'
import {
  addJob,
  createTask,
  createTimedTask,
  enqueue,
  IS_ACCOUNT_ENABLED,
  type WorkFactory,
} from '../jobs/job.ts'
import { lowestUuidAt } from '../lib/uuid.ts'
import type { KnownSource } from '../sources/sender.ts'
import type { SourceId } from '../sources/sources.ts'
import type { AskUpstream } from '../upstream/ask.ts'
import { isUpstreamTrouble } from '../upstream/failures.ts'
import { type BackfillDocumentStatus, pollUpstreamJob } from './requests.ts'

interface BackfillOptions {
  pool: Pool
  askUpstream: AskUpstream
  store(event: UpstreamEvent): Promise<PlanRejection>
  timing: { firstBackoffMs: number }
}

/** Times the default first pause of a delivery, 10 s: five minutes. */
const FIRST_PAUSE_FACTOR = 30

/** Days that a finished document is listed. */
const KEPT_DAYS = 30

const BATCH = 1_000

/** The tasks of backfill: a search for missed documents every minute, and the polls. */
export const backfillWork =
  ({ pool, askUpstream, store, timing }: BackfillOptions): WorkFactory =>
  ({ stopping }) => {
    const firstMs = FIRST_PAUSE_FACTOR * timing.firstBackoffMs
    return {
      tasks: [
        createTimedTask('backfill', '* * * * *', async () => {
          await findUnannounced(pool, firstMs)
          await schedulePolls(pool)
          await pruneFinished(pool)
        }),
        createTask(pollUpstreamJob, async ({ accountId, sourceId }) => {
          const asking = { pool, askUpstream, store, stopping, firstMs }
          if (await pollDueDocuments(asking, { accountId, id: sourceId }))
            await enqueue(pool, pollUpstreamJob, { accountId, sourceId })
        }),
      ],
      sweep: {
        dueDates: [
          { table: 'source', column: 'upstream_paused_until' },
          { table: 'backfill_document', column: 'due_at', maxAheadS: MAX_BACKOFF_MS / 1_000 + 60 },
        ],
      },
    }
  }

const schedulePolls = (pool: Pool) =>
  pool.query(
    `SELECT ${addJob(pollUpstreamJob, { accountId: 's.account_id', sourceId: 's.id' })} FROM source s
     WHERE s.upstream_api_key IS NOT NULL AND s.disabled_at IS NULL AND s.removed_at IS NULL
       AND ${IS_ACCOUNT_ENABLED('s.account_id')}
       AND coalesce(s.upstream_paused_until <= now(), true)
       AND EXISTS (SELECT FROM backfill_document b WHERE b.source_id = s.id AND b.due_at <= now())`,
  )

const pruneFinished = (pool: Pool) =>
  pool.query(
    `DELETE FROM backfill_document WHERE (source_id, document_id) IN (
       SELECT source_id, document_id FROM backfill_document
       WHERE ended_at < now() - interval '${KEPT_DAYS} days' ORDER BY ended_at LIMIT ${BATCH})`,
  )

/** Events that precede a document. Those of images and audio may be of a file alone. */
const STEP_EVENTS = ['research.completed', 'text.completed']

/** Events per statement, whose bodies are in memory together, and statements per tick. */
const SEARCH_BATCH = { events: 100, statements: 10 }
/** Bodies of steps are small; a larger one is not read. */
const MAX_STEP_BODY_BYTES = 64 * 1024
/** Where a source starts that had no backfill before. */
const INITIAL_LOOKBACK_DAYS = 7

interface SearchedSource {
  id: string
  accountId: string
  from: string | null
}

type StepEvent = Pick<Event, 'id' | 'sourceId' | 'documentId' | 'reference' | 'kind'> & {
  body: Buffer | null
}

/**
 * Schedules requests for documents whose steps were announced since the last search, up to a minute ago: events become visible in
 * another order than that of their ids. @param firstMs until the first request: the document's own webhook is likely to come
 */
export async function findUnannounced(pool: Pool, firstMs: number): Promise<void> {
  const { rows: sources } = await pool.query<SearchedSource>(
    `SELECT id, account_id AS "accountId", backfill_from AS "from" FROM source
     WHERE backfill AND disabled_at IS NULL AND removed_at IS NULL`,
  )
  for (const source of sources) {
    let { from } = source
    for (let times = 0; times < SEARCH_BATCH.statements; times += 1) {
      const { last, more } = await searchSource(pool, { ...source, from }, firstMs)
      if (!more) break
      from = last
    }
  }
}

async function searchSource(pool: Pool, { id, accountId, from }: SearchedSource, firstMs: number) {
  const rows = await queryRows<StepEvent>(
    pool,
    `SELECT id, source_id AS "sourceId", document_id AS "documentId", reference, kind,
       CASE WHEN octet_length(body) <= ${MAX_STEP_BODY_BYTES} THEN body END AS body
     FROM event
     WHERE account_id = :accountId AND status = 'kept' AND id > :from AND id < :until
     ORDER BY id LIMIT ${SEARCH_BATCH.events}`,
    {
      accountId,
      from: from ?? lowestUuidAt(Date.now() - INITIAL_LOOKBACK_DAYS * 86_400_000),
      until: lowestUuidAt(Date.now() - 60_000),
    },
  )
  const last = rows.at(-1)
  if (last === undefined) return { last: from, more: false }
  const steps = rows.filter(
    ({ sourceId, documentId, kind }) =>
      sourceId === id && documentId !== null && STEP_EVENTS.includes(kind ?? ''),
  )
  await execute(
    pool,
    `WITH seen AS (UPDATE source SET backfill_from = :last WHERE id = :id AND account_id = :accountId)
     INSERT INTO backfill_document AS b (account_id, source_id, document_id, reference, delivery, due_at)
     SELECT DISTINCT ON (document_id) :accountId, :id, document_id, reference, delivery::jsonb,
       now() + :firstMs::float8 * interval '1 millisecond'
     FROM unnest(:documentIds::uuid[], :references::text[], :deliveries::text[]) AS step (document_id, reference, delivery)
     ORDER BY document_id, delivery NULLS LAST
     ON CONFLICT (source_id, document_id) DO UPDATE SET delivery = coalesce(b.delivery, excluded.delivery)
     WHERE b.delivery IS NULL AND excluded.delivery IS NOT NULL`,
    {
      ...{ id, accountId, firstMs, last: last.id },
      documentIds: steps.map(({ documentId }) => documentId),
      references: steps.map(({ reference }) => reference),
      deliveries: steps.map(({ body }) => deliveryOf(body)),
    },
  )
  return { last: last.id, more: rows.length === SEARCH_BATCH.events }
}

/** `delivery` of a step, if valid: the contract leaves the members of step events open (docs/contract.md). */
function deliveryOf(body: Buffer | null): string | null {
  if (body === null) return null
  const json: unknown = parseJsonBody(body)
  const delivery = isWireObject(json) ? json.delivery : undefined
  return deliverySchema.safeParse(delivery).success ? storableJson(delivery) : null
}

interface PollContext extends Omit<BackfillOptions, 'timing'> {
  stopping: AbortSignal
  /** Milliseconds until an incomplete document is requested again; doubled every time, up to six hours. */
  firstMs: number
}

const MAX_BACKOFF_MS = 6 * 3_600_000

const MAX_DOCUMENT_AGE_MS = 7 * 86_400_000

/** Milliseconds of a source before the next one of its lane. */
const LANE_TURN_MS = 25_000

/** Requests the due documents of one source, until its upstream fails. @returns whether more may be due */
async function pollDueDocuments(asking: PollContext, source: SourceId): Promise<boolean> {
  const end = performance.now() + LANE_TURN_MS
  while (!asking.stopping.aborted && performance.now() < end) {
    const due = await claimDueDocument(asking.pool, source)
    if (due === null || !(await pollDocument(asking, source, due))) return false
  }
  return true
}

async function pollDocument(asking: PollContext, source: SourceId, due: DueDocument): Promise<boolean> {
  const { pool } = asking
  if (due.announced) {
    await recordPoll(pool, source, due, { status: 'announced' })
    return true
  }
  try {
    const problem = await ingestDocument(asking, source, due)
    await recordPoll(pool, source, due, { status: 'found', problem })
    return true
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const isIncomplete = error.code === 'upstream_not_completed'
    const givenUp = isIncomplete && due.ageMs > MAX_DOCUMENT_AGE_MS
    const ended = givenUp ? 'given_up' : FINAL_STATUSES[error.code]
    const doubledMs = Math.min(asking.firstMs * 2 ** Math.min(due.tries - 1, 20), MAX_BACKOFF_MS)
    // Trouble of the upstream or of Galley counts neither as a try nor towards the document's age limit.
    const inMs = isIncomplete ? doubledMs : (error.retryAfterMs ?? asking.firstMs)
    const result: PollResult = ended ? { status: ended } : { status: 'waiting', inMs, counts: isIncomplete }
    await recordPoll(pool, source, due, { ...result, problem: error })
    return !isUpstreamTrouble(error)
  }
}

const FINAL_STATUSES: Readonly<Record<string, BackfillDocumentStatus>> = {
  upstream_document_failed: 'failed',
  upstream_document_unknown: 'unknown',
  upstream_answer_unusable: 'unusable',
  upstream_answer_too_big: 'unusable',
}

async function ingestDocument(asking: PollContext, source: SourceId, due: DueDocument) {
  const { documentId, reference, delivery, siteIds, labels, defaults } = due
  const { body, room } = await asking.askUpstream({ source, documentId: reference ?? documentId, delivery })
  try {
    return await asking.store({ source: { ...source, siteIds, labels, defaults }, body })
  } finally {
    room.release()
  }
}

/** Milliseconds after which another process takes over: the holder may have died. */
const LEASE_MS = 5 * 60_000

interface DueDocument extends DocumentName, Pick<KnownSource, 'siteIds' | 'labels' | 'defaults'> {
  /** `due_at` of the claim. A new request for the document changes it, which makes this claim's result stale. */
  leasedUntil: Date
  delivery: object | null
  tries: number
  /** Milliseconds since the document was requested. */
  ageMs: number
  announced: boolean
}

/** Leases the next due document; null where none is due, or the source or its account is disabled. */
export async function claimDueDocument(pool: Pool, { accountId, id }: SourceId): Promise<DueDocument | null> {
  const rows = await queryRows<DueDocument>(
    pool,
    `WITH next AS (
       SELECT b.document_id, s.site_ids, s.labels, s.defaults FROM backfill_document b
       JOIN source s ON s.id = b.source_id AND s.disabled_at IS NULL AND s.removed_at IS NULL
       WHERE b.source_id = :id AND b.account_id = :accountId AND b.due_at <= now() AND ${IS_ACCOUNT_ENABLED(':accountId::uuid')}
       ORDER BY b.due_at LIMIT 1 FOR UPDATE OF b SKIP LOCKED
     )
     UPDATE backfill_document b SET due_at = now() + ${LEASE_MS} * interval '1 millisecond', tries = b.tries + 1
     FROM next WHERE b.source_id = :id AND b.document_id = next.document_id
     RETURNING b.document_id AS "documentId", b.reference, b.due_at AS "leasedUntil", b.delivery, b.tries,
       (extract(epoch FROM now() - b.created_at) * 1000)::float8 AS "ageMs",
       EXISTS (SELECT FROM delivery d
         WHERE d.account_id = :accountId AND d.document_id = b.document_id) AS announced,
       next.site_ids AS "siteIds", next.labels, next.defaults`,
    { accountId, id },
  )
  return rows[0] ?? null
}

/** Final even if the document was requested again in the meantime. */
const RECEIVED_STATUSES = ['found', 'announced'] satisfies BackfillDocumentStatus[]

interface PollResult {
  /** `waiting`: it is asked for again, in `inMs`. */
  status: BackfillDocumentStatus
  problem?: Pick<GalleyError, 'code' | 'message'> | null
  inMs?: number
  /** Whether the request counts as a try. */
  counts?: boolean
}

async function recordPoll(
  pool: Pool,
  { id }: SourceId,
  { documentId, leasedUntil }: DueDocument,
  { status, problem = null, inMs, counts = true }: PollResult,
): Promise<void> {
  await execute(
    pool,
    `UPDATE backfill_document SET status = :status, problem = :problem, due_at = now() + :inMs::float8 * interval '1 millisecond',
       ended_at = CASE WHEN :status <> 'waiting' THEN now() END, tries = tries - CASE WHEN :counts THEN 0 ELSE 1 END
     WHERE source_id = :id AND document_id = :documentId AND status = 'waiting'
       AND (due_at = :leasedUntil OR :status = ANY (:received))`,
    {
      ...{ id, documentId, leasedUntil, status, counts, inMs: inMs ?? null, received: RECEIVED_STATUSES },
      problem: problem && storableJson({ code: problem.code, message: problem.message }),
    },
  )
}
