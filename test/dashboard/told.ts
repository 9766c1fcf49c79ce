import type { ClientBase } from 'pg'

/** Sources, receivers, what was told them, and links for owners, each in every state that it can be in. */
export async function fillTold(
  client: ClientBase,
  accountId: string,
  siteIds: string[],
): Promise<{ notificationId: string }> {
  await client.query(
    `INSERT INTO source (id, account_id, name, token_hash, site_ids, labels, highest_status, signing_secret,
       upstream_base_url, upstream_trouble, upstream_trouble_count, upstream_paused_until, disabled_at)
     SELECT uuidv7(), $1, name, name, sites, labels, highest, secret, upstream,
       CASE WHEN upstream IS NOT NULL THEN '{"code": "UPSTREAM_UNREACHABLE", "message": "The API does not answer."}'::jsonb END,
       CASE WHEN upstream IS NULL THEN 0 ELSE 3 END, CASE WHEN upstream IS NOT NULL THEN now() + interval '1 hour' END,
       CASE WHEN paused THEN now() END
     FROM (VALUES
       ('Generator', '{}'::uuid[], '{}'::text[], NULL, NULL, NULL, false),
       ('Newsroom, drafts only', $2::uuid[], '{}', 'draft', 'x', NULL, false),
       ('Archive', '{}', '{news,weekly}', 'pending', NULL, 'https://api.example', false),
       ('Old generator', '{}', '{}', NULL, NULL, NULL, true)
     ) AS given (name, sites, labels, highest, secret, upstream, paused)`,
    [accountId, siteIds.slice(0, 5)],
  )
  await client.query(
    `INSERT INTO receiver (id, account_id, name, kind, url, events, site_ids, labels, digest_minutes, secret, disabled_at)
     SELECT id, $1, name, kind, url, events, '{}', labels, digest, 'x', CASE WHEN paused THEN now() END
     FROM (VALUES
       (md5('1')::uuid, 'Newsroom', 'webhook', 'https://news.example/told/about/everything/that/happens', $2::text[], '{}'::text[], NULL, false),
       (md5('2')::uuid, 'Ann', 'email', 'mailto:ann@news.example', '{delivery.held,site.outage}', '{news}', 60, false),
       (md5('3')::uuid, 'Status page', 'webhook', 'https://status.example/', '{site.outage,site.recovered}', '{}', NULL, true)
     ) AS given (id, name, kind, url, events, labels, digest, paused)`,
    [accountId, EVENTS],
  )
  const { rows } = await client.query<{ id: string }>(
    `WITH made AS (
       INSERT INTO notification (id, account_id, event, subject_id, receiver_id, url, status, attempts, due_at, created_at)
       SELECT uuidv7(), $1, event, gen_random_uuid(), md5(receiver)::uuid, 'https://news.example/told', status, attempts,
         CASE status WHEN 'waiting' THEN now() + interval '50 minutes' END, now() - interval '20 minutes' * attempts
       FROM (VALUES
         ('delivery.delivered', '1', 'acknowledged', 1), ('delivery.held', '2', 'acknowledged', 1),
         ('document.completed', NULL, 'acknowledged', 1), ('digest', '2', 'acknowledged', 1),
         ('site.outage', '1', 'waiting', 2), ('delivery.failed', '1', 'failed', 3)
       ) AS given (event, receiver, status, attempts) RETURNING id, status, attempts, created_at
     )
     INSERT INTO notification_attempt (notification_id, at, took_ms, http_status, error, by_hand)
     SELECT id, created_at + interval '1 minute' * n, 1400 * n, CASE WHEN status = 'acknowledged' THEN 204 WHEN n > 1 THEN 500 END,
       CASE WHEN status <> 'acknowledged' THEN jsonb_build_object('code', 'RECEIVER_REFUSED', 'message',
         'The receiver did not acknowledge it.') END, n = 3
     FROM made, generate_series(1, attempts) AS n ORDER BY attempts, n
     RETURNING notification_id AS id`,
    [accountId],
  )
  await client.query(
    `INSERT INTO connect_link (id, account_id, token_hash, url, rest_root, requested, expires_at, rejected_at, problem)
     SELECT uuidv7(), $1, url, url, url || '/wp-json/', '{"labels": []}', ends, rejected, problem
     FROM (VALUES
       ('https://waits.example', now() + interval '1 day', NULL::timestamptz, NULL::jsonb),
       ('https://declined.example', now() + interval '1 day', now(), NULL),
       ('https://blocked.example', now() + interval '1 day', NULL, '{"code": "PUBLISH_NOT_ALLOWED", "message": "The user may not publish posts.", "at": "2026-11-20T08:00:00.000Z"}'),
       ('https://expired.example', now() - interval '1 hour', NULL, NULL)
     ) AS given (url, ends, rejected, problem)`,
    [accountId],
  )
  await client.query(
    `INSERT INTO audit_entry (id, account_id, actor, action, subject_kind, subject_id, details, at)
     SELECT uuidv7(), $1::uuid, 'Ann', action, split_part(action, '.', 1), subject, '{"body": {"name": "Generator"}}', now()
     FROM (VALUES ('source.create', gen_random_uuid()::text), ('site.change', $2), ('delivery.retry', gen_random_uuid()::text),
       ('account.grant_credits', $1::uuid::text), ('bulk.create', gen_random_uuid()::text)) AS given (action, subject)`,
    [accountId, siteIds[0]],
  )
  return { notificationId: rows.at(-1)?.id as string }
}

const EVENTS = [
  'delivery.delivered',
  'delivery.held',
  'delivery.failed',
  'site.outage',
  'site.recovered',
  'site.regression',
]
