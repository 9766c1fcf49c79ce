import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { purge } from '../../src/delivery/maintenance/retention.ts'
import { purgeNotifications } from '../../src/notifications/work.ts'

export interface Plan {
  days: number
  /** Deliveries a day. */
  perDay: number
  /** `GALLEY_RETENTION_DAYS`. */
  retentionDays: number
  /** The body of each webhook. */
  document: Buffer
  /** How often the row of a delivery is written after the first time. */
  updates: number
}

/** A simulated day, as it stood in the evening, before anything was vacuumed. */
export interface Day {
  day: number
  tables: Watched[]
  /** Milliseconds that the night's retention took. */
  tickMs: number
  vacuumed: string[]
}

const SITES = 300

/**
 * Lives through so many days: deliveries come, each with its event, timeline, picture and notification, and are written as
 * often as real ones; at night retention runs, Galley's own, and what autovacuum would take is vacuumed. The days lie in the
 * past, the last of them is today.
 */
export async function* simulateDays(pool: Pool, plan: Plan): AsyncGenerator<Day> {
  const sender = await prepare(pool)
  for (let day = 1; day <= plan.days; day += 1) {
    const back = plan.days - day
    await deliverInSql(pool, sender, plan, back)
    const began = performance.now()
    await purge(pool, back + plan.retentionDays)
    await purgeNotifications(pool, back + plan.retentionDays)
    const tickMs = performance.now() - began
    const tables = await watch(pool)
    yield { day, tables, tickMs, vacuumed: await vacuumWhatIsDue(pool) }
  }
}

interface Whose {
  accountId: string
  sourceId: string
  siteIds: string[]
}

async function prepare(pool: Pool): Promise<Whose> {
  const [accountId, sourceId] = [randomUUID(), randomUUID()]
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'simulated')`, [accountId])
  await pool.query(
    `INSERT INTO source (id, account_id, name, token_hash) VALUES ($1::uuid, $2, 'simulated', $1::uuid::text)`,
    [sourceId, accountId],
  )
  return { accountId, sourceId, siteIds: Array.from({ length: SITES }, () => randomUUID()) }
}

async function deliverInSql(
  pool: Pool,
  { accountId, sourceId, siteIds }: Whose,
  { perDay, document, updates }: Plan,
  back: number,
): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(DAY, [
    accountId,
    sourceId,
    siteIds,
    perDay,
    document,
    back,
  ])
  const ids = rows.map(({ id }) => id)
  for (let update = 1; update < updates; update += 1) await pool.query(UNDER_WAY, [ids])
  await pool.query(SETTLED, [ids, document.toString('utf8')])
}

const DAY = `
  WITH made AS MATERIALIZED (
    SELECT n, uuidv7(make_interval(days => -$6::int)) AS id, uuidv7(make_interval(days => -$6::int)) AS event_id,
      uuidv7(make_interval(days => -$6::int)) AS notification_id, gen_random_uuid() AS document_id,
      ($3::uuid[])[1 + n % ${SITES}] AS site_id, now() - make_interval(days => $6::int) AS at
    FROM generate_series(1, $4::int) AS n
  ), events AS (
    INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body, received_at)
    SELECT event_id, $1::uuid, $2::uuid, 'document.completed', document_id, 'planned', sha256(event_id::text::bytea),
      $5::bytea || convert_to(event_id::text, 'UTF8'), at FROM made
  ), deliveries AS (
    INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, title, source_id,
      created_at, updated_at)
    SELECT id, $1::uuid, site_id, document_id, event_id, 'queued', at, 'Document ' || document_id, $2::uuid, at, at FROM made
  ), media AS (
    INSERT INTO delivery_media (delivery_id, marker, source_url, intent_at, media_id)
    SELECT id, 'galley-' || document_id || '-0123456789ab', 'https://pictures.example/' || id || '.jpg', at, n FROM made
  ), notifications AS (
    INSERT INTO notification (id, account_id, event, subject_id, url, body, status, due_at, attempts, created_at)
    SELECT notification_id, $1::uuid, 'delivery.delivered', id, 'https://receiver.example/told',
      convert_to(repeat(id::text || document_id::text, 10), 'UTF8'), 'acknowledged', NULL, 1, at FROM made
  ), attempts AS (
    INSERT INTO notification_attempt (notification_id, at, took_ms, http_status) SELECT notification_id, at, 20, 200 FROM made
  ), steps AS (
    INSERT INTO delivery_step (delivery_id, at, step, outcome, detail)
    SELECT id, at, step, 'done', 'post ' || n || ' of ' || document_id
    FROM made, unnest('{plan,reserve,terms,media,fill,verify,deliver}'::text[]) AS step
  )
  SELECT id FROM made`

const UNDER_WAY = `
  UPDATE delivery SET status = 'delivering', fence = fence + 1, leased_by = 'a process', due_at = due_at + interval '1 s'
  WHERE id = ANY ($1::uuid[])`

const SETTLED = `
  UPDATE delivery SET status = 'delivered', due_at = NULL, leased_by = NULL, delivered_event_id = wanted_event_id,
    post_id = fence, post_type = 'posts', post_status = 'publish', post_url = 'https://site.example/?p=' || fence,
    post_edit_url = 'https://site.example/wp-admin/post.php?action=edit&post=' || fence, sent_hash = md5(id::text),
    updated_at = updated_at + interval '10 s',
    answered = jsonb_build_object('title', title, 'content', $2::text || id, 'slug', document_id, 'status', 'publish')
  WHERE id = ANY ($1::uuid[])`

/** A table, or what lies beside one for its long values, as the statistics see it. */
export interface Watched {
  /** `event`, `event (TOAST)`. */
  table: string
  bytes: number
  live: number
  dead: number
}

/** The tables of Galley and their TOAST. */
export async function watch(pool: Pool): Promise<Watched[]> {
  // What this session has done is in the statistics when this statement ends.
  await pool.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await pool.query<Watched>(
    `SELECT coalesce(main.relname || ' (TOAST)', c.relname) AS table,
       (pg_relation_size(c.oid) + pg_indexes_size(c.oid))::float8 AS bytes,
       s.n_live_tup::float8 AS live, s.n_dead_tup::float8 AS dead
     ${TABLES} ORDER BY 1`,
  )
  return rows
}

/**
 * Vacuums what autovacuum would, if it looked now: by its own arithmetic, with the thresholds of the server and of each
 * table. Time does not pass in a simulation, and the real one looks once a minute.
 *
 * @returns what was vacuumed
 */
export async function vacuumWhatIsDue(pool: Pool): Promise<string[]> {
  await pool.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name ${TABLES}
       AND (s.n_dead_tup > ${option('vacuum_threshold')} + ${option('vacuum_scale_factor')} * greatest(c.reltuples, 0)
         OR s.n_ins_since_vacuum
           > ${option('vacuum_insert_threshold')} + ${option('vacuum_insert_scale_factor')} * greatest(c.reltuples, 0))`,
  )
  for (const { name } of rows) await pool.query(`VACUUM (ANALYZE) ${name}`)
  return rows.map(({ name }) => name)
}

const TABLES = `FROM pg_class c JOIN pg_stat_all_tables s ON s.relid = c.oid
  LEFT JOIN pg_class main ON main.reltoastrelid = c.oid
  WHERE 'public'::regnamespace IN (c.relnamespace, main.relnamespace)`

/** The table's own where it has one; TOAST has its table's where it has none of its own. */
const option = (name: string): string =>
  `coalesce((SELECT option_value::float8 FROM pg_options_to_table(coalesce(c.reloptions, main.reloptions))
     WHERE option_name = 'autovacuum_${name}'), current_setting('autovacuum_${name}')::float8)`
