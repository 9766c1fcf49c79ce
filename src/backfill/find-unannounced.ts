import type { Pool } from 'pg'
import { isWireObject } from '../contract/normalise/fields.ts'
import { parseJsonBody } from '../contract/payload.ts'
import { deliverySchema } from '../contract/webhook.ts'
import { named, storableJson } from '../database/statement.ts'

/**
 * Events that precede a document. Events of images and audio may concern a standalone file, and failed steps are followed
 * by nothing.
 */
const STEP_EVENTS = ['research.completed', 'text.completed']

/** Events per statement, whose bodies are in memory together, and statements per tick. */
const BATCH = { events: 100, statements: 10 }
/** Bodies of steps are small; a larger one is not read. */
const MAX_STEP_BODY_BYTES = 64 * 1024
/** Where a source starts that had no backfill before. */
const INITIAL_LOOKBACK_DAYS = 7

interface SearchedSource {
  id: string
  accountId: string
  from: string | null
}

interface StepEvent {
  id: string
  sourceId: string
  documentId: string | null
  kind: string | null
  body: Buffer | null
}

/**
 * Schedules requests for documents whose steps were announced since the last search. It stays a minute behind because
 * events become visible in another order than that of their ids.
 *
 * @param firstMs milliseconds until the first request: the document's own webhook is likely to come
 */
export async function findUnannounced(pool: Pool, firstMs: number): Promise<void> {
  const { rows: sources } = await pool.query<SearchedSource>(
    `SELECT id, account_id AS "accountId", backfill_from AS "from" FROM source
     WHERE backfill AND disabled_at IS NULL AND removed_at IS NULL`,
  )
  for (const source of sources) {
    let { from } = source
    for (let times = 0; times < BATCH.statements; times += 1) {
      const { last, more } = await searchSource(pool, { ...source, from }, firstMs)
      if (!more) break
      from = last
    }
  }
}

/** @returns the last event searched, and whether there are more */
async function searchSource(
  pool: Pool,
  { id, accountId, from }: SearchedSource,
  firstMs: number,
): Promise<{ last: string | null; more: boolean }> {
  const { rows } = await pool.query<StepEvent>(
    named(
      `SELECT id, source_id AS "sourceId", document_id AS "documentId", kind,
         CASE WHEN octet_length(body) <= ${MAX_STEP_BODY_BYTES} THEN body END AS body
       FROM event
       WHERE account_id = :accountId AND status = 'kept' AND id > :from AND id < :until
       ORDER BY id LIMIT ${BATCH.events}`,
      {
        accountId,
        from: from ?? uuidV7At(Date.now() - INITIAL_LOOKBACK_DAYS * 86_400_000),
        until: uuidV7At(Date.now() - 60_000),
      },
    ),
  )
  const last = rows.at(-1)
  if (last === undefined) return { last: from, more: false }
  const steps = rows.filter(
    ({ sourceId, documentId, kind }) =>
      sourceId === id && documentId !== null && STEP_EVENTS.includes(kind ?? ''),
  )
  await pool.query(
    named(
      `WITH seen AS (UPDATE source SET backfill_from = :last WHERE id = :id AND account_id = :accountId)
       INSERT INTO backfill_document AS b (account_id, source_id, document_id, delivery, due_at)
       SELECT DISTINCT ON (document_id) :accountId, :id, document_id, delivery::jsonb,
         now() + :firstMs::float8 * interval '1 millisecond'
       FROM unnest(:documentIds::uuid[], :deliveries::text[]) AS step (document_id, delivery)
       ORDER BY document_id, delivery NULLS LAST
       ON CONFLICT (source_id, document_id) DO UPDATE SET delivery = coalesce(b.delivery, excluded.delivery)
       WHERE b.delivery IS NULL AND excluded.delivery IS NOT NULL`,
      {
        ...{ id, accountId, firstMs, last: last.id },
        documentIds: steps.map(({ documentId }) => documentId),
        deliveries: steps.map(({ body }) => deliveryOf(body)),
      },
    ),
  )
  return { last: last.id, more: rows.length === BATCH.events }
}

/** `delivery` of a step, if valid: the contract leaves the members of step events open (docs/contract.md). */
function deliveryOf(body: Buffer | null): string | null {
  if (body === null) return null
  const json: unknown = parseJsonBody(body)
  const delivery = isWireObject(json) ? json.delivery : undefined
  return deliverySchema.safeParse(delivery).success ? storableJson(delivery) : null
}

/** The smallest UUIDv7 of a time in Unix milliseconds. */
const uuidV7At = (ms: number): string => {
  const hex = Math.max(ms, 0).toString(16).split('.')[0]?.padStart(12, '0') ?? ''
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`
}
