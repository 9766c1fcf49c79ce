import type { Pool } from 'pg'

/** What waits in the installation, of one kind: how many, and how long the oldest has. */
export interface Waiting {
  /** `deliveries`, `jobs`, `notifications`, `generation_jobs`, `processes`. */
  what: string
  /** Where that says more: of deliveries `due`, `resting`, `later`, `delivering`, `held` or `failed`. */
  status: string
  count: number
  oldestSeconds: number
}

/** Rows of one site, or of one account and status, that are counted at most: a look must not grow with what waits. */
const MOST_COUNTED = 20_000

/**
 * What waits in the whole installation, in one statement, in which every read follows an index and ends at
 * {@link MOST_COUNTED}. A site's due deliveries are `resting` while it is left alone, be it in trouble or paused by hand.
 */
export async function readBacklog(pool: Pool): Promise<Waiting[]> {
  const { rows } = await pool.query<Waiting>({ name: 'backlog', text: STATEMENT })
  return rows
}

const SECONDS_SINCE = (at: string) => `coalesce(extract(epoch FROM now() - min(${at})), 0)::float8`

const STANDING = ['queued', 'delivering', 'held', 'failed'] as const

/** The state stands in the statement: for a parameter PostgreSQL would plan as if most rows had it. */
const standing = (status: (typeof STANDING)[number]) => `
  SELECT '${status}' AS status, first.updated_at, first.count
  FROM account CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(updated_at) AS updated_at FROM (
      SELECT updated_at FROM delivery
      WHERE delivery.account_id = account.id AND delivery.status = '${status}' ORDER BY id LIMIT ${MOST_COUNTED}
    ) AS one
  ) AS first`

const STATEMENT = `
WITH due AS (
  SELECT CASE WHEN site.paused_until > now() OR site.stopped_at IS NOT NULL THEN 'resting' ELSE 'due' END AS status, first.due_at, first.count
  FROM site CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(due_at) AS due_at FROM (
      SELECT due_at FROM delivery
      WHERE delivery.account_id = site.account_id AND delivery.site_id = site.id AND due_at <= now()
      ORDER BY due_at LIMIT ${MOST_COUNTED}
    ) AS one
  ) AS first
), standing AS (
  ${STANDING.map(standing).join('\n  UNION ALL\n  ')}
), notifications AS (
  SELECT due_at FROM notification WHERE due_at <= now() ORDER BY due_at LIMIT ${MOST_COUNTED}
), generation AS (
  SELECT first.due_at
  FROM (SELECT '' AS name UNION SELECT name FROM generation_provider) AS provider CROSS JOIN LATERAL (
    SELECT due_at FROM generation_job
    WHERE waits_for = provider.name AND due_at <= now() ORDER BY due_at LIMIT ${MOST_COUNTED}
  ) AS first
)
SELECT 'deliveries' AS what, wanted.status, coalesce(sum(count), 0)::float8 AS count, ${SECONDS_SINCE('due_at')} AS "oldestSeconds"
FROM (VALUES ('due'), ('resting')) AS wanted (status) LEFT JOIN due USING (status) GROUP BY wanted.status
UNION ALL
SELECT 'deliveries', status, sum(count)::float8, ${SECONDS_SINCE('updated_at')}
FROM standing WHERE status <> 'queued' GROUP BY status
UNION ALL
SELECT 'deliveries', 'later', greatest(
    (SELECT coalesce(sum(count), 0) FROM standing WHERE status = 'queued') - (SELECT coalesce(sum(count), 0) FROM due), 0)::float8, 0
UNION ALL
SELECT 'jobs', '', count(*)::float8, ${SECONDS_SINCE('run_at')} FROM graphile_worker.jobs
WHERE run_at <= now() AND locked_at IS NULL AND attempts < max_attempts
UNION ALL
SELECT 'notifications', '', count(*)::float8, ${SECONDS_SINCE('due_at')} FROM notifications
UNION ALL
SELECT 'generation_jobs', '', count(*)::float8, ${SECONDS_SINCE('due_at')} FROM generation
UNION ALL
SELECT 'processes', '', count(*)::float8, 0 FROM worker_process WHERE beat_at > now() - interval '30 seconds'`
