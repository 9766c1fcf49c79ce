import type { Pool } from 'pg'
import { fillJobs } from './jobs.ts'
import { fillTold } from './told.ts'

/** How much there is to see. */
export interface Amount {
  sites: number
  deliveries: number
  /** With sources, receivers, what was told them, and links for owners. */
  told?: boolean
}

const causes = [
  ['post_changed', 'Somebody changed the post on the site after Galley had written it.', 'held'],
  ['password_wrong', 'WordPress does not accept the application password any more.', 'held'],
  ['content_refused', 'WordPress refused the text: its firewall took it for an attack.', 'failed'],
] as const

const THINNED = 'The document of this delivery is no longer kept. Send it again.'

const names = ['Tides weekly', 'Harbour news', 'The night sky', 'Brightwater', 'Garden notes', 'Old maps']

const finding = JSON.stringify({
  checkedAt: '2026-11-20T08:00:00.000Z',
  worse: ['uploads'],
  home: 'https://site.example',
  level: 'warning',
  findings: [
    {
      check: 'uploads',
      level: 'warning',
      seen: 'WordPress takes files of up to 2 MB.',
      means: 'Larger pictures stay where they are.',
      todo: 'Ask the host to raise upload_max_filesize.',
    },
    {
      check: 'rest',
      level: 'ok',
      seen: 'The REST API answers at https://blog.example/wp-json/.',
      means: 'Posts can be delivered.',
      todo: null,
    },
  ],
})

/**
 * Fills an account with sites and deliveries past the API, as some weeks of use leave them: most delivered, some held or
 * failed, some on their way. Nothing is sent to any of them.
 *
 * @returns ids, in the order in which they were made
 */
export async function fillAccount(
  pool: Pool,
  { sites, deliveries, told }: Amount,
): Promise<{
  siteIds: string[]
  deliveryIds: string[]
  bulkId: string | undefined
  jobIds: string[]
  notificationId: string | undefined
}> {
  const { rows: accounts } = await pool.query<{ id: string }>('SELECT id FROM account')
  const accountId = accounts[0]?.id
  const client = await pool.connect()
  try {
    // What is written refers to what is there.
    await client.query('SET session_replication_role = replica')
    const { rows: made } = await client.query<{ id: string }>(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, labels, updated_at,
         trouble, trouble_since, attention_at, paused_until, stopped_at, report, report_at)
       SELECT uuidv7(), $1, ($4::text[])[1 + n % 6] || CASE WHEN n >= 6 THEN ' ' || n ELSE '' END,
         'https://site-' || n || '.example', 'https://site-' || n || '.example/wp-json/', 'galley', 'x',
         CASE n % 3 WHEN 0 THEN '{news}'::text[] WHEN 1 THEN '{news,weekly}' ELSE '{}' END, now(),
         CASE n % 7 WHEN 3 THEN '{"code": "unreachable", "message": "The site does not answer: connection refused."}'::jsonb END,
         CASE n % 7 WHEN 3 THEN now() - interval '20 minutes' END,
         CASE n % 14 WHEN 3 THEN now() + interval '23 hours' WHEN 10 THEN now() - interval '10 minutes' END,
         CASE n % 14 WHEN 3 THEN now() + interval '50 minutes' END,
         CASE n % 11 WHEN 5 THEN now() END, $3::jsonb, now()
       FROM generate_series(0, $2::int - 1) AS n RETURNING id`,
      [accountId, sites, finding, names],
    )
    const siteIds = made.map(({ id }) => id)
    const { rows } = await client.query<{ id: string }>(
      `WITH made AS MATERIALIZED (
         SELECT n, now() - (n::float8 / $3::int) * interval '20 days' AS at,
           uuidv7((n::float8 / $3::int) * interval '-20 days') AS id, gen_random_uuid() AS event_id,
           ($2::uuid[])[1 + n % cardinality($2::uuid[])] AS site_id, n % 20 AS kind
         FROM generate_series(0, $3::int - 1) AS n
       ), deliveries AS (
         INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, error, post_id,
           post_type, post_url, post_edit_url, post_status, title, created_at, updated_at, attempts)
         SELECT id, $1, site_id, gen_random_uuid(), event_id,
           CASE WHEN kind < 2 THEN 'held' WHEN kind = 2 THEN 'failed' WHEN kind = 3 THEN 'cancelled'
             WHEN kind = 4 THEN 'queued' ELSE 'delivered' END,
           CASE WHEN kind = 4 THEN now() + interval '50 minutes' END,
           CASE WHEN kind < 3 THEN jsonb_build_object('code', ($4::text[])[kind + 1], 'step', 'fill', 'message', ($5::text[])[kind + 1]) END,
           n, 'posts', 'https://site.example/?p=' || n, 'https://site.example/wp-admin/post.php?action=edit&post=' || n, 'publish',
           CASE n % 4 WHEN 0 THEN 'Why the tide comes twice a day' WHEN 1 THEN 'A harbour at low water, and what it shows'
             WHEN 2 THEN 'How old maps got their monsters' ELSE 'The night sky in December' END,
           at, at + interval '1400 milliseconds', 1
         FROM made
       ), steps AS (
         INSERT INTO delivery_step (delivery_id, step, outcome, detail, at)
         SELECT id, step, outcome, detail, at + after FROM made, (VALUES
           ('plan', 'queued', NULL, interval '0'), ('reserve', 'created', 'post 12', interval '310 milliseconds'),
           ('terms', 'resolved', '1 category, 2 tags', interval '480 milliseconds'),
           ('fill', 'intended', NULL, interval '1200 milliseconds'),
           ('verify', 'done', 'post 12 is publish', interval '1400 milliseconds')) AS s (step, outcome, detail, after)
       )
       SELECT id FROM made ORDER BY n`,
      [accountId, siteIds, deliveries, causes.map(([code]) => code), causes.map(([, message]) => message)],
    )
    const { rows: bulk } = await client.query<{ id: string }>(
      `WITH job AS (
         INSERT INTO bulk_job (id, account_id, key_id, action, filter, parameters, dry_run, status, matched, done, skipped,
           failed, reasons, ended_at)
         VALUES (uuidv7(), $1, uuidv7(), 'retry', '{"status": ["held", "failed"]}', '{}', true, 'done', 4, 3, 0, 1,
           jsonb_build_array(jsonb_build_object('outcome', 'failed', 'code', 'DOCUMENT_THINNED', 'count', 1, 'message', $3::text)),
           now()) RETURNING id
       ), items AS (
         INSERT INTO bulk_item (job_id, item_id, status, code, message)
         SELECT job.id, item, CASE n WHEN 1 THEN 'failed' ELSE 'done' END, CASE n WHEN 1 THEN 'DOCUMENT_THINNED' END,
           CASE n WHEN 1 THEN $3::text END
         FROM job, unnest($2::uuid[]) WITH ORDINALITY AS given (item, n)
       )
       SELECT id FROM job`,
      [accountId, rows.slice(0, 4).map(({ id }) => id), THINNED],
    )
    const jobIds = await fillJobs(client, accountId as string)
    const { notificationId } = told
      ? await fillTold(client, accountId as string, siteIds)
      : { notificationId: undefined }
    await client.query('RESET session_replication_role')
    await client.query('ANALYZE')
    return { siteIds, deliveryIds: rows.map(({ id }) => id), bulkId: bulk[0]?.id, jobIds, notificationId }
  } finally {
    client.release()
  }
}
