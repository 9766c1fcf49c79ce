import type { Pool } from 'pg'

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
  eventId: string
  /** The same body had come from the same source before; nothing was added. */
  duplicate: boolean
  /** The site whose pump now has this to do; null where nothing waits for one. */
  dueSiteId: string | null
}

/**
 * Stores events and their planned deliveries in one statement, and so in one transaction: either all of it is
 * on disk when this resolves, or none. The pumps are woken afterwards (`waker.ts`).
 *
 * No two of `batch` may be of the same source and body, or plan the same site and document: PostgreSQL
 * refuses to touch one row twice in a statement.
 */
export async function storeEvents(pool: Pool, batch: readonly Incoming[]): Promise<Stored[]> {
  // Rows in one order everywhere, so that two transactions never wait for each other.
  const rows = [...batch].sort((a, b) => Buffer.compare(a.digest, b.digest))
  const { rows: stored } = await pool.query<{ id: string; due_site_id: string | null }>({
    // Prepared: PostgreSQL plans it once a connection, for batches of every size.
    name: 'store-events',
    text: STATEMENT,
    values: parameters(rows),
  })
  const dueSites = new Map(stored.map(({ id, due_site_id }) => [id, due_site_id]))
  return batch.map(({ eventId }) => ({
    eventId,
    duplicate: !dueSites.has(eventId),
    dueSiteId: dueSites.get(eventId) ?? null,
  }))
}

/** A column an array. The bodies are one value, cut by length: in an array they would travel as text, twice as long. */
const parameters = (rows: readonly Incoming[]): unknown[] => [
  rows.map(({ eventId }) => eventId),
  rows.map(({ accountId }) => accountId),
  rows.map(({ sourceId }) => sourceId),
  rows.map(({ kind }) => kind),
  rows.map(({ documentId }) => documentId),
  rows.map(({ status }) => status),
  rows.map(({ issues }) => (issues === null ? null : JSON.stringify(issues))),
  rows.map(({ digest }) => digest.toString('hex')),
  rows.map(({ plan }) => plan?.deliveryId ?? null),
  rows.map(({ plan }) => plan?.siteId ?? null),
  rows.map(({ body }) => body.length),
  Buffer.concat(rows.map(({ body }) => body)),
]

const STATEMENT = `
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[],
    $8::text[], $9::uuid[], $10::uuid[], $11::int[])
    WITH ORDINALITY AS given (id, account_id, source_id, kind, document_id, status, issues, digest, delivery_id,
      site_id, length, place)
),
input AS (
  SELECT id, account_id, source_id, kind, document_id, status, issues::jsonb, decode(digest, 'hex') AS digest,
    substring($12::bytea FROM (1 + sum(length) OVER (ORDER BY place) - length)::int FOR length) AS body,
    delivery_id, site_id
  FROM given
),
stored AS (
  INSERT INTO event (id, account_id, source_id, kind, document_id, status, issues, digest, body)
  SELECT id, account_id, source_id, kind, document_id, status, issues, digest, body FROM input
  ON CONFLICT (source_id, digest) DO NOTHING
  RETURNING id
),
-- what keeps a delivery from starting: no such site in this account, or a site that waits for its owner
wanted AS (
  SELECT input.*, CASE
      WHEN site.id IS NULL THEN jsonb_build_object('code', 'site_unknown', 'step', 'plan', 'message',
        'The webhook names site ' || input.site_id || ', which is not connected. Connect it under this id,'
        || ' or send the delivery to another site with a retry.')
      WHEN site.trouble IS NOT NULL AND site.paused_until IS NULL THEN site.trouble || '{"step": "plan"}'
    END AS obstacle
  FROM input JOIN stored USING (id)
  LEFT JOIN site ON site.id = input.site_id AND site.account_id = input.account_id
  WHERE input.delivery_id IS NOT NULL
),
planned AS (
  INSERT INTO delivery AS d (id, account_id, site_id, document_id, wanted_event_id, status, due_at, error)
  SELECT delivery_id, account_id, site_id, document_id, id,
    CASE WHEN obstacle IS NULL THEN 'queued' ELSE 'held' END,
    CASE WHEN obstacle IS NULL THEN now() END, obstacle
  FROM wanted ORDER BY site_id, document_id
  -- A newer event of a known document: one being delivered finishes first and then sees what is wanted.
  ON CONFLICT (site_id, document_id, account_id) DO UPDATE SET
    wanted_event_id = excluded.wanted_event_id,
    status = CASE WHEN d.status = 'delivering' THEN d.status ELSE excluded.status END,
    due_at = CASE WHEN d.status = 'delivering' THEN d.due_at ELSE excluded.due_at END,
    error = CASE WHEN d.status = 'delivering' THEN d.error ELSE excluded.error END,
    attempts = CASE WHEN d.status = 'delivering' THEN d.attempts ELSE 0 END,
    updated_at = now()
  RETURNING d.id, d.site_id, d.status, d.wanted_event_id
),
noted AS (
  INSERT INTO delivery_step (delivery_id, step, outcome, detail)
  SELECT id, 'plan', status, 'event ' || wanted_event_id FROM planned
)
SELECT stored.id, planned.site_id AS due_site_id
FROM stored LEFT JOIN planned ON planned.wanted_event_id = stored.id AND planned.status = 'queued'`
