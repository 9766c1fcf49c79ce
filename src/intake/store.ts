import type { Pool } from 'pg'
import { storableJson } from '../database/storable.ts'
import { addPump, pumpJob } from '../delivery/jobs.ts'
import { isWaiting } from '../jobs/job.ts'
import { GIVE_UP_MS } from '../webhook/patience.ts'

/** One webhook, read and judged, ready to be stored. */
export interface Incoming {
  eventId: string
  accountId: string
  sourceId: string
  kind: string | null
  documentId: string | null
  status: 'planned' | 'kept' | 'unusable'
  issues: { path: string; message: string }[] | null
  /** SHA-256 of `body`. */
  digest: Buffer
  body: Buffer
  /** The delivery it asks for; null where it asks for none. */
  plan: { deliveryId: string; siteId: string } | null
}

/** How a webhook was stored. */
export interface Stored {
  /** Of the event that holds it. */
  eventId: string
  /** The same body had come from the same source before; nothing was added. */
  duplicate: boolean
}

/**
 * Stores events, their planned deliveries and the pumps' jobs in one statement, and so in one transaction:
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
export async function storeEvents(pool: Pool, batch: readonly Incoming[]): Promise<Stored[]> {
  // Rows in one order everywhere, so that two transactions never wait for each other.
  const rows = batch
    .map((event, index) => ({ ...event, arrival: index + 1 }))
    .sort((a, b) => Buffer.compare(a.digest, b.digest) || (a.sourceId < b.sourceId ? -1 : 1))
  const { rows: stored } = await pool.query<{ id: string; source_id: string; digest: string }>({
    // Prepared: PostgreSQL plans it once a connection, for batches of every size.
    name: 'store-events',
    text: STATEMENT,
    values: parameters(rows),
    query_timeout: GIVE_UP_MS,
  })
  const ids = new Map(stored.map(({ id, source_id, digest }) => [`${source_id} ${digest}`, id]))
  return batch.map(({ eventId, sourceId, digest }) => {
    const id = ids.get(`${sourceId} ${digest.toString('hex')}`)
    return { eventId: id ?? eventId, duplicate: id === undefined }
  })
}

/** A column an array. The bodies are one value, cut by length: in an array they would travel as text, twice as long. */
const parameters = (rows: readonly (Incoming & { arrival: number })[]): unknown[] => [
  rows.map(({ eventId }) => eventId),
  rows.map(({ accountId }) => accountId),
  rows.map(({ sourceId }) => sourceId),
  rows.map(({ kind }) => kind),
  rows.map(({ documentId }) => documentId),
  rows.map(({ status }) => status),
  rows.map(({ issues }) => (issues === null ? null : storableJson(issues))),
  rows.map(({ digest }) => digest.toString('hex')),
  rows.map(({ plan }) => plan?.deliveryId ?? null),
  rows.map(({ plan }) => plan?.siteId ?? null),
  rows.map(({ body }) => body.length),
  Buffer.concat(rows.map(({ body }) => body)),
  rows.map(({ arrival }) => arrival),
]

const STATEMENT = `
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[],
    $8::text[], $9::uuid[], $10::uuid[], $11::int[], $13::int[])
    WITH ORDINALITY AS given (id, account_id, source_id, kind, document_id, status, issues, digest, delivery_id,
      site_id, length, arrival, place)
),
taken AS MATERIALIZED (
  SELECT ARRAY(SELECT nextval('event_seq_seq') FROM generate_series(1, cardinality($1::uuid[]))) AS numbers
),
input AS (
  SELECT (SELECT numbers FROM taken)[arrival] AS seq, id, account_id, source_id, kind, document_id, status, issues::jsonb, decode(digest, 'hex') AS digest,
    substring($12::bytea FROM (1 + sum(length) OVER (ORDER BY place) - length)::int FOR length) AS body,
    delivery_id, site_id
  FROM given
),
stored AS (
  INSERT INTO event (seq, id, account_id, source_id, kind, document_id, status, issues, digest, body)
  SELECT seq, id, account_id, source_id, kind, document_id, status, issues, digest, body FROM input
  -- A repetition, and nothing new, unless something can be done now that could not be done then: the body was thinned
  -- and its delivery failed, or this Galley understands what an older one did not. Its number stays: it is as old as it
  -- is, and does not push a newer one aside.
  ON CONFLICT (source_id, digest) DO UPDATE SET
    kind = excluded.kind, document_id = excluded.document_id, status = excluded.status, issues = excluded.issues,
    body = excluded.body
  WHERE (event.status = 'unusable' AND excluded.status <> 'unusable') OR (event.body IS NULL AND EXISTS (
    SELECT 1 FROM delivery
    WHERE delivery.account_id = event.account_id AND delivery.status = 'failed' AND delivery.wanted_event_id = event.id))
  RETURNING id, seq, source_id, digest
),
-- what keeps a delivery from starting: no such site in this account, or a site that waits for its owner
wanted AS (
  SELECT stored.id AS event_id, stored.seq AS wanted_seq, input.*, CASE
      WHEN site.id IS NULL THEN jsonb_build_object('code', 'site_unknown', 'step', 'plan', 'message',
        'The webhook names site ' || input.site_id || ', which is not connected. Connect it under this id,'
        || ' or send the delivery to another site with a retry.')
      WHEN site.trouble IS NOT NULL AND site.paused_until IS NULL THEN site.trouble || '{"step": "plan"}'
    END AS obstacle
  FROM input JOIN stored ON stored.source_id = input.source_id AND stored.digest = input.digest
  LEFT JOIN site ON site.id = input.site_id AND site.account_id = input.account_id
  WHERE input.delivery_id IS NOT NULL
),
planned AS (
  INSERT INTO delivery AS d (id, account_id, site_id, document_id, wanted_event_id, wanted_seq, status, due_at,
    error)
  SELECT delivery_id, account_id, site_id, document_id, event_id, wanted_seq,
    CASE WHEN obstacle IS NULL THEN 'queued' ELSE 'held' END,
    CASE WHEN obstacle IS NULL THEN now() END, obstacle
  FROM wanted ORDER BY account_id, site_id, document_id
  -- A newer event of a known document: one being delivered finishes first and then sees what is wanted.
  ON CONFLICT (account_id, site_id, document_id) DO UPDATE SET
    wanted_event_id = excluded.wanted_event_id, wanted_seq = excluded.wanted_seq,
    status = CASE WHEN d.status = 'delivering' THEN d.status ELSE excluded.status END,
    due_at = CASE WHEN d.status = 'delivering' THEN d.due_at ELSE excluded.due_at END,
    error = CASE WHEN d.status = 'delivering' THEN d.error ELSE excluded.error END,
    attempts = CASE WHEN d.status = 'delivering' THEN d.attempts ELSE 0 END,
    updated_at = now()
  -- Of the row itself, as it is under its lock: a look at other tables would see them as they were before the wait for
  -- it. Equal is the wanted one, whose body has come again.
  WHERE d.wanted_seq <= excluded.wanted_seq
  RETURNING d.id, d.account_id, d.site_id, d.status, d.wanted_event_id
),
noted AS (
  INSERT INTO delivery_step (delivery_id, step, outcome, detail)
  SELECT id, 'plan', status, 'event ' || wanted_event_id FROM planned
),
-- A job that waits already will see what is stored here, and keeps its place in the line; to write it again
-- would cost several times what an event does. Should it start in the very moment of this commit and look
-- before it, the sweep queues the site within two seconds.
pumps AS (
  SELECT ${addPump('account_id', 'site_id')}
  FROM (SELECT DISTINCT account_id, site_id FROM planned WHERE status = 'queued' ORDER BY account_id, site_id) AS due
  WHERE NOT ${isWaiting(pumpJob, { accountId: 'due.account_id', siteId: 'due.site_id' })}
)
SELECT stored.id, stored.source_id, encode(stored.digest, 'hex') AS digest FROM stored, (SELECT count(*) FROM pumps) AS queued`
