import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { fillBulk } from './bulk.ts'
import { fillKeys } from './direct.ts'
import { withoutIndexes } from './indexes.ts'
import { fillSessions } from './sessions.ts'
import { fillChanges } from './stream.ts'

/** What the tables hold once {@link fill} is done. */
export interface Filled {
  /** Site ids of the account, none of which anything may be sent to. */
  siteIds: string[]
  /** A check of all of them. */
}

const SITES = 500

interface Filling {
  accountId: string
  sourceId: string
  rows: number
  /** The password of a site, encrypted, by the id of the site. */
  sealed(siteId: string): string
}

/**
 * Fills the tables of an account as years of use would: so many deliveries, most of them delivered, each with its event,
 * its timeline, a picture and the result of a check; a few per cent held, failed, or waiting for sites in trouble.
 */
export async function fill(client: Client, filling: Filling): Promise<Filled> {
  // What is written refers to what is there; to look each up again would be most of the time.
  await client.query('SET session_replication_role = replica')
  const filled = await withoutIndexes(client, () => fillTables(client, filling))
  await client.query('RESET session_replication_role')
  return filled
}

async function fillTables(client: Client, { accountId, sourceId, rows, sealed }: Filling): Promise<Filled> {
  const run = (sql: string, ...values: unknown[]) => client.query(sql, values)
  const siteIds = Array.from({ length: SITES }, () => randomUUID())
  await run(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, labels, updated_at,
       trouble, paused_until, password_uuid)
     SELECT id, $1, 'site', 'https://example.test', 'https://example.test/wp-json/', 'u', password,
       ARRAY['label ' || n % 10, 'group ' || n % 3], now(), '{"code": "unreachable", "message": ""}', now() + interval '1 hour',
       gen_random_uuid()
     FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS given (id, password, n)`,
    accountId,
    siteIds,
    siteIds.map(sealed),
  )
  await run(
    `WITH made AS MATERIALIZED (
       SELECT n, uuidv7((n::float8 / $4::int) * interval '-60 days') AS id, uuidv7() AS event_id, gen_random_uuid() AS document_id,
         ($3::uuid[])[1 + n % ${SITES}] AS site_id, abs(hashint4(n)) % 100 AS kind,
         now() - (n::float8 / $4::int) * interval '60 days' AS at
       FROM generate_series(1, $4::int) AS n
     ), events AS (
       INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body, received_at)
       SELECT event_id, $1, $2, 'document.completed', document_id,
         CASE kind WHEN 0 THEN 'unusable' WHEN 1 THEN 'kept' ELSE 'planned' END, sha256(event_id::text::bytea), '{}', at
       FROM made
     ), deliveries AS (
       INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, error, post_id,
         post_type, answered, title, source_id, created_at, updated_at, warnings)
       SELECT id, $1, site_id, document_id, event_id,
         CASE kind WHEN 2 THEN 'held' WHEN 3 THEN 'failed' WHEN 4 THEN 'queued' ELSE 'delivered' END,
         CASE kind WHEN 4 THEN now() + interval '1 hour' END,
         CASE kind WHEN 2 THEN '{"code": "post_changed", "step": "fill", "message": ""}'::jsonb
           WHEN 3 THEN '{"code": "content_refused", "step": "fill", "message": ""}' END, n, 'posts', '{}', 'Title ' || n, $2, at, at,
         CASE kind WHEN 5 THEN '[{"code": "picture_left_out", "message": "", "severity": "loss"}]'::jsonb
           WHEN 6 THEN '[{"code": "slug_taken", "message": "", "severity": "change"}]' ELSE '[]' END
       FROM made
     ), media AS (
       INSERT INTO delivery_media (delivery_id, marker, source_url, media_id) SELECT id, 'm', 'https://x.test/', n FROM made
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, at)
     SELECT id, step, 'done', at FROM made, (VALUES ('plan'), ('deliver')) AS steps (step)`,
    accountId,
    sourceId,
    siteIds,
    rows,
  )
  await run(
    `INSERT INTO connect_link (id, account_id, token_hash, url, rest_root, requested, expires_at)
     SELECT uuidv7(), $1, gen_random_uuid()::text, 'https://example.test', 'https://example.test/wp-json/', '{"labels": []}', now()
     FROM generate_series(1, 5000)`,
    accountId,
  )
  await run(
    `INSERT INTO backfill_document (account_id, source_id, document_id, status, due_at, ended_at)
     SELECT $1, $2, gen_random_uuid(), CASE WHEN n % 50 = 0 THEN 'waiting' ELSE 'found' END,
       CASE WHEN n % 50 = 0 THEN now() + interval '1 day' END,
       CASE WHEN n % 50 > 0 THEN now() - (n::float8 / $3::int) * interval '29 days' END
     FROM generate_series(1, $3::int) AS n`,
    accountId,
    sourceId,
    rows,
  )
  await fillGeneration(run, accountId, rows)
  await fillKeys(run, accountId, rows)
  await fillChanges(run, accountId, rows)
  await fillSessions(run, accountId, rows)
  await fillBulk(run, accountId, rows)
  await run(
    `INSERT INTO audit_entry (id, account_id, key_id, actor, action, subject_kind, subject_id, at)
     SELECT uuidv7((n::float8 / $2::int - 1) * interval '60 days'), $1, md5((n % 40)::text)::uuid, 'somebody',
       CASE n % 2 WHEN 0 THEN 'session.begin' ELSE 'site.' || n % 50 END, CASE n % 2 WHEN 0 THEN 'session' ELSE 'kind ' || n % 30 END, ($3::uuid[])[1 + n % ${SITES}], now()
     FROM generate_series(1, $2::int) AS n`,
    accountId,
    rows,
    siteIds,
  )
  await run(
    `INSERT INTO digest_item (receiver_id, event, subject_id, data, due_at)
     SELECT md5((n % 50)::text)::uuid, 'delivery.delivered', gen_random_uuid(), '{}', now() + interval '1 day'
     FROM generate_series(1, $1::int) AS n`,
    rows,
  )
  return { siteIds }
}

/** Jobs that have ended, each with a part, a call, an entry of the ledger, a file, and a notification that was taken. */
async function fillGeneration(
  run: (sql: string, ...values: unknown[]) => Promise<unknown>,
  accountId: string,
  rows: number,
): Promise<void> {
  await run(
    `WITH made AS MATERIALIZED (
       SELECT n, uuidv7() AS id, uuidv7() AS notification_id, gen_random_uuid()::text AS token,
         now() - (n::float8 / $2::int) * interval '60 days' AS at
       FROM generate_series(1, $2::int) AS n
     ), jobs AS (
       INSERT INTO generation_job (id, account_id, kind, request, status, price, request_digest, idempotency_key,
         due_at, created_at, started_at, ended_at, result)
       SELECT id, $1, 'document', '{}', 'completed', 1, sha256(token::bytea), token, NULL, at, at, at, '{}' FROM made
     ), parts AS (
       INSERT INTO generation_part (job_id, step, name, answer, answered_at)
       SELECT id, 'generating', 'outline', '{}', at FROM made
     ), calls AS (
       INSERT INTO generation_call (id, key, job_id, step, part, provider, model, intent_at, ended_at, outcome)
       SELECT notification_id, notification_id, id, 'generating', 'outline', 'p', 'm', at, at, 'answered' FROM made
     ), entries AS (
       INSERT INTO credit_entry (account_id, job_id, kind, amount, price) SELECT $1, id, 'charge', 0, 1 FROM made
     ), files AS (
       INSERT INTO stored_file (token, account_id, key, type, bytes, sha256, created_at, expires_at)
       SELECT token, $1, token, 'image/png', 1, sha256(token::bytea), at, at + interval '70 days' FROM made
     ), notifications AS (
       INSERT INTO notification (id, account_id, event, subject_id, receiver_id, url, body, status, due_at, attempts,
         created_at)
       SELECT notification_id, $1, CASE n % 3 WHEN 0 THEN 'document.completed' ELSE 'delivery.delivered' END, id,
         CASE n % 3 WHEN 0 THEN NULL ELSE md5((n % 50)::text)::uuid END, 'https://x.test/', '{}', 'acknowledged', NULL, 1, at FROM made
     )
     INSERT INTO notification_attempt (notification_id, at, http_status) SELECT notification_id, at, 200 FROM made`,
    accountId,
    rows,
  )
}
