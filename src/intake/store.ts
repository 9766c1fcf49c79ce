import type { Pool } from 'pg'
import type { Issue } from '../contract/issues.ts'
import { databaseFailure } from '../database/errors.ts'
import { named, storableJson } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { type HeldLogEntry, logHeldDeliveries } from '../delivery/ledger/notifications.ts'
import { heldOf, planDeliveries, planObstacle } from '../delivery/ledger/plan.ts'
import type { Logger } from '../log/log.ts'
import { ACK_TIMEOUT_MS } from '../sources/sender.ts'

/** One webhook, read and judged, ready to be stored. */
export interface IncomingEvent {
  eventId: string
  accountId: string
  sourceId: string
  kind: string | null
  documentId: string | null
  /** What its sender calls the document, where that is no UUID. */
  reference?: string | null
  status: 'planned' | 'kept' | 'refused' | 'unusable'
  issues: Issue[]
  /** SHA-256 of `body`. */
  digest: Buffer
  body: Buffer
  /** The upstream of its source has said it, and need not be asked again. */
  confirmed?: boolean
  /** Of the span in which it arrived, where traces are made. */
  traceparent?: string | null
  /** Of the document, in lists. */
  title?: string | null
  /** The deliveries it asks for, no site twice. */
  plans: readonly { deliveryId: string; siteId: string }[]
}

export interface StoredEvent {
  eventId: string
  /** The same body had come from the same source before; nothing was added. */
  duplicate: boolean
  /** Of the deliveries it asks for, those that were held at once; to be logged when it is stored for good. */
  held: HeldLogEntry[]
}

/**
 * Stores events, their planned deliveries and the site workers' jobs in one statement: all of it is on disk, or none.
 *
 * Of two versions of a document the newer has the higher `event.seq`, taken here in the order of `batch`. Numbers may become
 * visible in another order, so no statement looks for the highest: `delivery.wanted_seq` is that of the wanted event, and only
 * rises, under the row's lock.
 * @param batch in the order of arrival. No two of the same source and body, and none that plan the same document for the
 *   same site of an account: PostgreSQL refuses to touch one row twice in a statement
 */
export async function storeEvents(
  database: Queryable,
  batch: readonly IncomingEvent[],
): Promise<StoredEvent[]> {
  // Rows in one order everywhere, so that two transactions never wait for each other.
  const rows = batch
    .map((event, index) => ({ ...event, arrival: index + 1 }))
    .sort((a, b) => Buffer.compare(a.digest, b.digest) || (a.sourceId < b.sourceId ? -1 : 1))
  const { rows: stored } = await database.query<StoredRow>({
    // Prepared: PostgreSQL plans it once a connection, for batches of every size.
    name: 'store-events',
    ...named(STORE_EVENTS, statementParameters(rows)),
    query_timeout: ACK_TIMEOUT_MS,
  })
  const known = new Map(stored.map((row) => [`${row.source_id} ${row.digest}`, row]))
  return batch.map(({ eventId, sourceId, digest }) => {
    const row = known.get(`${sourceId} ${digest.toString('hex')}`)
    if (row === undefined) return { eventId, duplicate: true, held: [] }
    return { eventId: row.id, duplicate: false, held: row.held }
  })
}

interface StoredRow {
  id: string
  source_id: string
  digest: string
  held: HeldLogEntry[]
}

/** A column an array. The bodies are one value, cut by length: in an array they would travel as text, twice as long. */
const statementParameters = (
  rows: readonly (IncomingEvent & { arrival: number })[],
): Record<string, unknown> => ({
  ids: rows.map(({ eventId }) => eventId),
  accountIds: rows.map(({ accountId }) => accountId),
  sourceIds: rows.map(({ sourceId }) => sourceId),
  kinds: rows.map(({ kind }) => kind),
  documentIds: rows.map(({ documentId }) => documentId),
  references: rows.map(({ reference }) => reference ?? null),
  statuses: rows.map(({ status }) => status),
  issues: rows.map(({ issues }) => (issues.length === 0 ? null : storableJson(issues))),
  digests: rows.map(({ digest }) => digest.toString('hex')),
  titles: rows.map(({ title }) => title ?? null),
  plannedPlaces: rows.flatMap(({ plans }, index) => plans.map(() => index + 1)),
  deliveryIds: rows.flatMap(({ plans }) => plans.map(({ deliveryId }) => deliveryId)),
  siteIds: rows.flatMap(({ plans }) => plans.map(({ siteId }) => siteId)),
  lengths: rows.map(({ body }) => body.length),
  bodies: Buffer.concat(rows.map(({ body }) => body)),
  arrivals: rows.map(({ arrival }) => arrival),
  confirmed: rows.map(({ confirmed }) => confirmed === true),
  traceparents: rows.map(({ traceparent }) => traceparent ?? null),
})

const STORE_EVENTS = `
WITH given AS (
  SELECT * FROM unnest(:ids::uuid[], :accountIds::uuid[], :sourceIds::uuid[], :kinds::text[], :documentIds::uuid[], :references::text[], :statuses::text[], :issues::text[],
    :digests::text[], :titles::text[], :lengths::int[], :arrivals::int[], :confirmed::bool[], :traceparents::text[])
    WITH ORDINALITY AS given (id, account_id, source_id, kind, document_id, reference, status, issues, digest,
      title, length, arrival, confirmed, traceparent, place)
),
taken AS MATERIALIZED (
  SELECT ARRAY(SELECT nextval('event_seq_seq') FROM generate_series(1, cardinality(:ids::uuid[]))) AS numbers
),
input AS (
  SELECT (SELECT numbers FROM taken)[arrival] AS seq, id, account_id, source_id, kind, document_id, reference, status, issues::jsonb, decode(digest, 'hex') AS digest,
    substring(:bodies::bytea FROM (1 + sum(length) OVER (ORDER BY place) - length)::int FOR length) AS body,
    place, title, CASE WHEN confirmed THEN now() END AS confirmed_at, traceparent
  FROM given
),
stored AS (
  INSERT INTO event (seq, id, account_id, source_id, kind, document_id, reference, status, issues, digest, body, confirmed_at, traceparent)
  SELECT seq, id, account_id, source_id, kind, document_id, reference, status, issues, digest, body, confirmed_at, traceparent FROM input
  -- A repetition, and nothing new, unless something can be done now that could not be done then: the body was purged
  -- and its delivery failed, a newer Galley understands it, or its source may send there now, or sends it somewhere. Its number stays: it is
  -- as old as it is, and does not push a newer one aside.
  ON CONFLICT (source_id, digest) DO UPDATE SET
    kind = excluded.kind, document_id = excluded.document_id, reference = excluded.reference, status = excluded.status, issues = excluded.issues,
    body = excluded.body, confirmed_body = NULL, confirmed_at = excluded.confirmed_at
  WHERE (event.status = 'unusable' AND excluded.status <> 'unusable')
    OR (event.status IN ('refused', 'kept') AND excluded.status = 'planned') OR (event.body IS NULL AND ${planObstacle('event')})
  RETURNING id, seq, source_id, digest
),
asked AS (
  SELECT stored.id AS event_id, stored.seq AS wanted_seq, plan.delivery_id, input.account_id, plan.site_id,
    input.document_id, input.reference, input.source_id, input.title
  FROM input JOIN stored ON stored.source_id = input.source_id AND stored.digest = input.digest
    JOIN unnest(:plannedPlaces::int[], :deliveryIds::uuid[], :siteIds::uuid[]) AS plan (place, delivery_id, site_id) USING (place)
),
${planDeliveries('asked')}
SELECT stored.id, stored.source_id, encode(stored.digest, 'hex') AS digest, ${heldOf('stored.id')} AS held
FROM stored, (SELECT count(*) FROM site_jobs) AS queued`

interface QueuedEvent {
  event: IncomingEvent
  /** Rows that it touches. */
  rows: string[]
  /** Since when, as `performance.now()` counts. */
  since: number
  resolve: (stored: StoredEvent) => void
  reject: (error: unknown) => void
}

/** Most events in one transaction, deliveries of those that go to several sites, and bytes of bodies, unless a single one has more. */
const MAX_BATCH = { events: 64, deliveries: 1_000, bytes: 4 * 1024 * 1024 }
/** Transactions under way at once. */
const MAX_TRANSACTIONS = 2
/**
 * What the second begins for: so many events, or one that has waited so long for the first. A statement alone costs
 * PostgreSQL and this process as much as three or four events in it.
 */
const SECOND_TRANSACTION_AFTER = { events: 16, afterMs: 10 }
/** Times a batch that met a deadlock or a serialisation failure is tried again. */
const CONFLICT_RETRIES = 3

/** Group commit: webhooks that arrive while a transaction waits for the disk share the next one; a lone one is stored at once. */
export class IntakeBatcher {
  readonly #pool: Pool
  readonly #log: Logger
  #waiting: QueuedEvent[] = []
  #running = 0
  /** A look at what waits is to come. */
  #looking = false
  /** Begins a second transaction for one that waits for the first. */
  #second: NodeJS.Timeout | undefined
  /** Rows that transactions under way touch. */
  readonly #busy = new Set<string>()

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
  }

  /** Rejects also when the database has not answered in time: it may be stored all the same, and is a duplicate later. */
  store(event: IncomingEvent): Promise<StoredEvent> {
    let timer: NodeJS.Timeout | undefined
    const stored = new Promise<StoredEvent>((resolve, reject) => {
      const waiting = { event, rows: rowsTouched(event), since: performance.now(), resolve, reject }
      timer = setTimeout(() => {
        // Nobody waits for it any more: without the database, such events would fill the memory.
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        reject(new Error(`the database did not store it within ${ACK_TIMEOUT_MS} ms`))
      }, ACK_TIMEOUT_MS)
      this.#waiting.push(waiting)
      this.#drainSoon()
    })
    return stored.finally(() => clearTimeout(timer))
  }

  /** Once all that has come in already is read: it shares the transaction. */
  #drainSoon(): void {
    if (this.#looking || this.#running === MAX_TRANSACTIONS) return
    this.#looking = true
    setImmediate(() => {
      this.#looking = false
      this.#drain()
    })
  }

  #drain(): void {
    while (this.#mayBegin()) {
      const batch = this.#take()
      // All that waits is behind a transaction under way; its end drains again.
      if (batch.length === 0) return
      const touched = batch.flatMap(({ rows }) => rows)
      for (const row of touched) this.#busy.add(row)
      this.#running += 1
      void this.#run(batch).finally(() => {
        for (const row of touched) this.#busy.delete(row)
        this.#running -= 1
        this.#drainSoon()
      })
    }
  }

  #mayBegin(): boolean {
    const [first] = this.#waiting
    if (first === undefined || this.#running === MAX_TRANSACTIONS) return false
    if (this.#running === 0 || this.#waiting.length >= SECOND_TRANSACTION_AFTER.events) return true
    const inMs = first.since + SECOND_TRANSACTION_AFTER.afterMs - performance.now()
    if (inMs <= 0) return true
    this.#second ??= setTimeout(() => {
      this.#second = undefined
      this.#drain()
    }, inMs)
    return false
  }

  /**
   * The next batch, in the order of arrival. What would touch a row that an earlier one touches waits: a newer version must not
   * be overtaken by an older. A document for more sites than the batch has room for lets the others pass.
   */
  #take(): QueuedEvent[] {
    const batch: QueuedEvent[] = []
    const later: QueuedEvent[] = []
    const touched = new Set(this.#busy)
    let seen = 0
    let bytes = 0
    let deliveries = 0
    for (const waiting of this.#waiting) {
      bytes += waiting.event.body.length
      if (batch.length === MAX_BATCH.events || (seen > 0 && bytes > MAX_BATCH.bytes)) break
      seen += 1
      const sum = deliveries + waiting.event.plans.length
      const isFull = deliveries > 0 && waiting.event.plans.length > 1 && sum > MAX_BATCH.deliveries
      if (isFull || waiting.rows.some((row) => touched.has(row))) later.push(waiting)
      else {
        batch.push(waiting)
        deliveries = sum
      }
      for (const row of waiting.rows) touched.add(row)
    }
    this.#waiting = later.concat(this.#waiting.slice(seen))
    return batch
  }

  async #run(batch: QueuedEvent[]): Promise<void> {
    try {
      const stored = await storeWithRetry(
        this.#pool,
        batch.map(({ event }) => event),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(stored[index] as StoredEvent)
      const held = stored.flatMap(({ held }) => held)
      if (held.length > 0) logHeldDeliveries(this.#log, held)
    } catch (error) {
      // One that PostgreSQL refuses must not take the others with it.
      if (batch.length > 1 && databaseFailure(error) === 'refused')
        await Promise.all(batch.map((one) => this.#run([one])))
      else for (const { reject } of batch) reject(error)
    }
  }
}

function rowsTouched({ accountId, sourceId, digest, plans, documentId }: IncomingEvent): string[] {
  const event = `${sourceId} ${digest.toString('base64')}`
  return [event, ...plans.map(({ siteId }) => `${accountId} ${siteId} ${documentId}`)]
}

async function storeWithRetry(pool: Pool, events: IncomingEvent[]): Promise<StoredEvent[]> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await storeEvents(pool, events)
    } catch (error) {
      if (retry === CONFLICT_RETRIES || databaseFailure(error) !== 'conflict') throw error
    }
  }
}
