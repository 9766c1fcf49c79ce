import { named } from '../database/named.ts'
import { storableJson } from '../database/storable.ts'
import type { Queryable } from '../database/transaction.ts'
import type { HeldDelivery } from '../delivery/ledger/log-held.ts'
import { hasFailed, heldAtOnce, planDeliveries } from '../delivery/ledger/plan.ts'
import { GIVE_UP_MS } from '../webhook/patience.ts'

/** One webhook, read and judged, ready to be stored. */
export interface Incoming {
  eventId: string
  accountId: string
  sourceId: string
  kind: string | null
  documentId: string | null
  status: 'planned' | 'kept' | 'refused' | 'unusable'
  issues: { path: string; message: string }[] | null
  /** SHA-256 of `body`. */
  digest: Buffer
  body: Buffer
  /** The upstream of its source has said it, and need not be asked again. */
  confirmed?: boolean
  /** Of the span in which it arrived, where traces are made. */
  traceparent?: string | null
  /** The delivery it asks for; null where it asks for none. */
  plan: { deliveryId: string; siteId: string; title?: string | null } | null
}

/** How a webhook was stored. */
export interface Stored {
  /** Of the event that holds it. */
  eventId: string
  /** The same body had come from the same source before; nothing was added. */
  duplicate: boolean
  /** The delivery that it asks for, where that was held at once; to be logged when it is stored for good. */
  held?: HeldDelivery
}

/**
 * Stores events, their planned deliveries and the site workers' jobs in one statement, and so in one transaction:
 * either all of it is on disk when this resolves, or none.
 *
 * Of two versions of a document the newer is the one with the higher `event.seq`, and no clock is asked. It is taken
 * here, in the order of `batch`: so a webhook that is sent after the answer to another has the higher number, whichever
 * processes took them. Numbers may become visible in another order than they were taken, so no statement looks for the
 * highest one: `delivery.wanted_seq` is that of the wanted event, is written with it, and only rises. The row's lock
 * puts those who raise it in a line, and what they compare is the row as the one before left it.
 *
 * @param batch in the order of arrival. No two of the same source and body, and none that plan the same document for the
 *   same site of an account: PostgreSQL refuses to touch one row twice in a statement
 */
export async function storeEvents(database: Queryable, batch: readonly Incoming[]): Promise<Stored[]> {
  // Rows in one order everywhere, so that two transactions never wait for each other.
  const rows = batch
    .map((event, index) => ({ ...event, arrival: index + 1 }))
    .sort((a, b) => Buffer.compare(a.digest, b.digest) || (a.sourceId < b.sourceId ? -1 : 1))
  const { rows: stored } = await database.query<StoredRow>({
    // Prepared: PostgreSQL plans it once a connection, for batches of every size.
    name: 'store-events',
    ...named(STATEMENT, parameters(rows)),
    query_timeout: GIVE_UP_MS,
  })
  const known = new Map(stored.map((row) => [`${row.source_id} ${row.digest}`, row]))
  return batch.map(({ eventId, sourceId, digest }) => {
    const row = known.get(`${sourceId} ${digest.toString('hex')}`)
    if (row === undefined) return { eventId, duplicate: true }
    return { eventId: row.id, duplicate: false, ...(row.held === null ? {} : { held: row.held }) }
  })
}

interface StoredRow {
  id: string
  source_id: string
  digest: string
  held: HeldDelivery | null
}

/** A column an array. The bodies are one value, cut by length: in an array they would travel as text, twice as long. */
const parameters = (rows: readonly (Incoming & { arrival: number })[]): Record<string, unknown> => ({
  ids: rows.map(({ eventId }) => eventId),
  accountIds: rows.map(({ accountId }) => accountId),
  sourceIds: rows.map(({ sourceId }) => sourceId),
  kinds: rows.map(({ kind }) => kind),
  documentIds: rows.map(({ documentId }) => documentId),
  statuses: rows.map(({ status }) => status),
  issues: rows.map(({ issues }) => (issues === null ? null : storableJson(issues))),
  digests: rows.map(({ digest }) => digest.toString('hex')),
  deliveryIds: rows.map(({ plan }) => plan?.deliveryId ?? null),
  siteIds: rows.map(({ plan }) => plan?.siteId ?? null),
  titles: rows.map(({ plan }) => plan?.title ?? null),
  lengths: rows.map(({ body }) => body.length),
  bodies: Buffer.concat(rows.map(({ body }) => body)),
  arrivals: rows.map(({ arrival }) => arrival),
  confirmed: rows.map(({ confirmed }) => confirmed === true),
  traceparents: rows.map(({ traceparent }) => traceparent ?? null),
})

const STATEMENT = `
WITH given AS (
  SELECT * FROM unnest(:ids::uuid[], :accountIds::uuid[], :sourceIds::uuid[], :kinds::text[], :documentIds::uuid[], :statuses::text[], :issues::text[],
    :digests::text[], :deliveryIds::uuid[], :siteIds::uuid[], :titles::text[], :lengths::int[], :arrivals::int[], :confirmed::bool[], :traceparents::text[])
    WITH ORDINALITY AS given (id, account_id, source_id, kind, document_id, status, issues, digest, delivery_id,
      site_id, title, length, arrival, confirmed, traceparent, place)
),
taken AS MATERIALIZED (
  SELECT ARRAY(SELECT nextval('event_seq_seq') FROM generate_series(1, cardinality(:ids::uuid[]))) AS numbers
),
input AS (
  SELECT (SELECT numbers FROM taken)[arrival] AS seq, id, account_id, source_id, kind, document_id, status, issues::jsonb, decode(digest, 'hex') AS digest,
    substring(:bodies::bytea FROM (1 + sum(length) OVER (ORDER BY place) - length)::int FOR length) AS body,
    delivery_id, site_id, title, CASE WHEN confirmed THEN now() END AS confirmed_at, traceparent
  FROM given
),
stored AS (
  INSERT INTO event (seq, id, account_id, source_id, kind, document_id, status, issues, digest, body, confirmed_at, traceparent)
  SELECT seq, id, account_id, source_id, kind, document_id, status, issues, digest, body, confirmed_at, traceparent FROM input
  -- A repetition, and nothing new, unless something can be done now that could not be done then: the body was purged
  -- and its delivery failed, a newer Galley understands it, or its source may send there now. Its number stays: it is
  -- as old as it is, and does not push a newer one aside.
  ON CONFLICT (source_id, digest) DO UPDATE SET
    kind = excluded.kind, document_id = excluded.document_id, status = excluded.status, issues = excluded.issues,
    body = excluded.body, confirmed_body = NULL, confirmed_at = excluded.confirmed_at
  WHERE (event.status = 'unusable' AND excluded.status <> 'unusable')
    OR (event.status = 'refused' AND excluded.status = 'planned') OR (event.body IS NULL AND ${hasFailed('event')})
  RETURNING id, seq, source_id, digest
),
asked AS (
  SELECT stored.id AS event_id, stored.seq AS wanted_seq, input.delivery_id, input.account_id, input.site_id,
    input.document_id, input.source_id, input.title
  FROM input JOIN stored ON stored.source_id = input.source_id AND stored.digest = input.digest
  WHERE input.delivery_id IS NOT NULL
),
${planDeliveries('asked')}
SELECT stored.id, stored.source_id, encode(stored.digest, 'hex') AS digest, ${heldAtOnce('planned')} AS held
FROM stored LEFT JOIN planned ON planned.wanted_event_id = stored.id, (SELECT count(*) FROM site_jobs) AS queued`
