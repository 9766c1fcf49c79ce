import type { Pool } from 'pg'
import { isoInstant, named } from '../../database/statement.ts'
import { UUID_V7_SQL } from '../notify.ts'
import { EVENTS_BY_URGENCY_SQL } from '../outcomes.ts'

/** Milliseconds between two looks at what is gathered: how much later than its time a mail may leave. */
export const DIGEST_POLL_MS = 2_000

/** Seconds that lie between two mails to one receiver at least, whatever happens. */
const MIN_MAIL_INTERVAL_S = 60

/** Outcomes that one mail shows at most; of the rest it says how many there are. */
const MAX_SHOWN = 50

/** Outcomes that one mail tells of at most; the next one tells of the rest. */
const MAX_PER_DIGEST = 10_000

/** One mail for each receiver whose time has come, in one statement: all of it happens, or nothing. */
export async function createDueDigests(pool: Pool): Promise<void> {
  await pool.query({ name: 'gather-digests', ...named(CREATE_DIGESTS, { spacingS: MIN_MAIL_INTERVAL_S }) })
}

/** What a person should read first. */
const EVENT_URGENCY = `array_position(${EVENTS_BY_URGENCY_SQL}, event)`

/** The site that all of them are about. Where one is about no site, nobody who sees some sites sees all of it. */
const ONLY_SITE = `CASE WHEN count(DISTINCT told.site_id) = 1 AND count(told.site_id) = count(*) THEN min(told.site_id::text)::uuid END`

// The receiver is locked so that two processes do not tell him at once; who adds an outcome does not wait for that.
const CREATE_DIGESTS = `
  WITH RECURSIVE waiting AS (
    (SELECT receiver_id AS id FROM digest_item ORDER BY receiver_id LIMIT 1)
    UNION ALL
    SELECT (SELECT i.receiver_id FROM digest_item i WHERE i.receiver_id > w.id ORDER BY i.receiver_id LIMIT 1)
    FROM waiting w WHERE w.id IS NOT NULL
  ), due AS (
    SELECT r.id, r.account_id, r.name, r.url, r.disabled_at IS NULL AND r.removed_at IS NULL AS listens
    FROM waiting w JOIN receiver r ON r.id = w.id
    WHERE EXISTS (SELECT FROM digest_item i WHERE i.receiver_id = r.id AND i.due_at <= now())
      AND coalesce((SELECT n.created_at FROM notification n WHERE n.receiver_id = r.id AND n.created_at <= now() ORDER BY n.id DESC LIMIT 1)
        <= now() - make_interval(secs => :spacingS), true)
    ORDER BY r.id LIMIT 20
    FOR NO KEY UPDATE OF r SKIP LOCKED
  ), taken AS (
    DELETE FROM digest_item WHERE id = ANY (ARRAY(
      SELECT i.id FROM due, LATERAL (
        SELECT id FROM digest_item WHERE receiver_id = due.id ORDER BY due_at, id LIMIT ${MAX_PER_DIGEST}) i))
    RETURNING id, receiver_id, event, subject_id, site_id, data, at
  ), newest AS (
    SELECT t.*, row_number() OVER (PARTITION BY receiver_id, subject_id ORDER BY id DESC) = 1 AS is_last FROM taken t
  ), told AS (
    SELECT n.*, row_number() OVER (PARTITION BY receiver_id ORDER BY ${EVENT_URGENCY}, id) AS nth
    FROM newest n WHERE is_last OR event LIKE 'site.%'
  ), counts AS (
    SELECT receiver_id, jsonb_object_agg(event, n) AS counts
    FROM (SELECT receiver_id, event, count(*) AS n FROM told GROUP BY 1, 2) AS each GROUP BY 1
  ), mails AS (
    SELECT ${UUID_V7_SQL} AS id, due.account_id, due.id AS receiver_id, due.name, due.url, counts.counts,
      CASE WHEN count(*) = 1 THEN min(told.event) ELSE 'digest' END AS event,
      CASE WHEN count(*) = 1 THEN min(told.subject_id::text)::uuid ELSE coalesce(${ONLY_SITE}, due.id) END AS subject_id,
      ${ONLY_SITE} AS site_id,
      CASE WHEN count(told.site_id) = count(*) THEN array_agg(DISTINCT told.site_id) ELSE '{}' END AS site_ids,
      jsonb_agg(jsonb_build_object('event', told.event, 'at', ${isoInstant('told.at')}, 'data', told.data) ORDER BY nth)
        FILTER (WHERE nth <= ${MAX_SHOWN}) AS items
    FROM due JOIN told ON told.receiver_id = due.id JOIN counts ON counts.receiver_id = due.id
    WHERE due.listens
    GROUP BY due.id, due.account_id, due.name, due.url, counts.counts
  )
  INSERT INTO notification (id, account_id, receiver_id, site_id, site_ids, event, subject_id, url, body)
  SELECT id, account_id, receiver_id, site_id, site_ids, event, subject_id, url, convert_to(jsonb_build_object('event', event,
    'id', id, 'created_at', ${isoInstant('now()')}, 'receiver', jsonb_build_object('name', name), 'items', items, 'counts', counts)::text,
    'UTF8')
  FROM mails`
