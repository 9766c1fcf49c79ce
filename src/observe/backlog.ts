import pTimeout from 'p-timeout'
import type { Pool } from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { VERSION } from '../lib/version.ts'
import { registerProcessMetrics } from './metrics.ts'

interface BacklogEntry {
  /** `deliveries`, `jobs`, `notifications`, `generation_jobs`, `blocked_providers`, `processes`. */
  what: string
  /** Of deliveries `due`, `waiting`, `later`, `delivering`, `held` or `failed`; else empty. */
  status: string
  count: number
  oldestSeconds: number
}

/** Rows counted per site, or per account and status: the cost of the query must not grow with the backlog. */
const MAX_COUNTED = 20_000

/** Counts waiting work by index, up to {@link MAX_COUNTED}. Due deliveries of a site in trouble or paused, or of a disabled account, are `waiting`. */
export async function readBacklog(pool: Pool): Promise<BacklogEntry[]> {
  const { rows } = await pool.query<BacklogEntry>({ name: 'backlog', text: STATEMENT })
  return rows
}

const SECONDS_SINCE = (at: string) => `coalesce(extract(epoch FROM now() - min(${at})), 0)::float8`

const STANDING = ['queued', 'delivering', 'held', 'failed'] as const

/** The status is a literal: for a parameter PostgreSQL plans as if most rows had it. */
const standing = (status: (typeof STANDING)[number]) => `
  SELECT '${status}' AS status, first.updated_at, first.count
  FROM account CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(updated_at) AS updated_at FROM (
      SELECT updated_at FROM delivery
      WHERE delivery.account_id = account.id AND delivery.status = '${status}' ORDER BY id LIMIT ${MAX_COUNTED}
    ) AS one
  ) AS first`

const STATEMENT = `
WITH due AS (
  SELECT CASE
      WHEN site.trouble IS NOT NULL OR site.stopped_at IS NOT NULL OR account.disabled_at IS NOT NULL THEN 'waiting'
      ELSE 'due'
    END AS status, first.due_at, first.count
  FROM site JOIN account ON account.id = site.account_id CROSS JOIN LATERAL (
    SELECT count(*) AS count, min(due_at) AS due_at FROM (
      SELECT due_at FROM delivery
      WHERE delivery.account_id = site.account_id AND delivery.site_id = site.id AND due_at <= now()
      ORDER BY due_at LIMIT ${MAX_COUNTED}
    ) AS one
  ) AS first
), standing AS (
  ${STANDING.map(standing).join('\n  UNION ALL\n  ')}
), notifications AS (
  SELECT due_at FROM notification WHERE due_at <= now() ORDER BY due_at LIMIT ${MAX_COUNTED}
), generation AS (
  SELECT first.due_at
  FROM (SELECT '' AS name UNION SELECT name FROM generation_provider) AS provider CROSS JOIN LATERAL (
    SELECT due_at FROM generation_job
    WHERE waits_for = provider.name AND due_at <= now() ORDER BY due_at LIMIT ${MAX_COUNTED}
  ) AS first
)
SELECT 'deliveries' AS what, wanted.status, coalesce(sum(count), 0)::float8 AS count, ${SECONDS_SINCE('due_at')} AS "oldestSeconds"
FROM (VALUES ('due'), ('waiting')) AS wanted (status) LEFT JOIN due USING (status) GROUP BY wanted.status
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
SELECT 'blocked_providers', '', count(*)::float8, 0 FROM generation_provider WHERE trouble ->> 'action' = 'owner'
UNION ALL
SELECT 'processes', '', count(*)::float8, 0 FROM worker_process WHERE beat_at > now() - interval '30 seconds'`

/** What is counted, and the name and the help of its gauge. */
const GAUGES = [
  ['deliveries', 'galley_deliveries', 'Deliveries that are not delivered, by status.'],
  ['jobs', 'galley_jobs_ready', 'Jobs of the queue that wait for a process.'],
  ['notifications', 'galley_notifications_due', 'Notifications whose attempt is due.'],
  ['generation_jobs', 'galley_generation_jobs_due', 'Jobs of the generation service that are due.'],
  [
    'blocked_providers',
    'galley_providers_blocked',
    'Providers that refuse Galley until its operator acts: key, credit, model or address.',
  ],
  ['processes', 'galley_processes', 'Processes that work, by their heartbeats.'],
] as const

const OLDEST_GAUGES = [
  ['deliveries', 'galley_deliveries_oldest_seconds', 'How long the oldest of them has had this status.'],
  ['jobs', 'galley_jobs_ready_oldest_seconds', 'How long the longest of them has waited.'],
  ['notifications', 'galley_notifications_due_oldest_seconds', 'How long the longest has been due.'],
  ['generation_jobs', 'galley_generation_jobs_due_oldest_seconds', 'How long the longest has been due.'],
] as const

const BACKLOG_CACHE_MS = 5_000

/** The other metrics do not wait longer for the database. */
const BACKLOG_TIMEOUT_MS = 2_000

/** Registers gauges of the installation's backlog. All processes on a database report the same: aggregate with `max`. */
export function registerBacklogMetrics(registry: Registry, pool: Pool): void {
  let cached: Promise<BacklogEntry[]> | undefined
  let cachedAt = Number.NEGATIVE_INFINITY
  const backlog = (): Promise<BacklogEntry[]> => {
    if (cached === undefined || performance.now() - cachedAt > BACKLOG_CACHE_MS) {
      cachedAt = performance.now()
      cached = pTimeout(readBacklog(pool), { milliseconds: BACKLOG_TIMEOUT_MS })
    }
    return cached
  }
  const gauge = (name: string, help: string, what: string, value: (one: BacklogEntry) => number) => {
    const byStatus = what === 'deliveries'
    return new Gauge({
      name,
      help,
      labelNames: byStatus ? ['status'] : [],
      registers: [registry],
      async collect() {
        // Without the database no value is shown: an old one would look current.
        this.reset()
        if (!byStatus) this.remove()
        const all = await backlog().catch((): BacklogEntry[] => [])
        for (const one of all.filter((one) => one.what === what))
          this.set(byStatus ? { status: one.status } : {}, value(one))
      },
    })
  }
  const count = ({ count }: BacklogEntry) => count
  for (const [what, name, help] of GAUGES) gauge(name, help, what, count)
  for (const [what, name, help] of OLDEST_GAUGES)
    gauge(name, help, what, ({ oldestSeconds }) => oldestSeconds)
  new Gauge({
    name: 'galley_database_up',
    help: 'Whether the database answers.',
    registers: [registry],
    async collect() {
      this.set(
        await backlog().then(
          () => 1,
          () => 0,
        ),
      )
    },
  })
}

/** Registers the process's metrics, the installation's backlog and the build. */
export function registerMetrics(registry: Registry, { pool, role }: { pool: Pool; role: string }): void {
  registerProcessMetrics(registry)
  registerBacklogMetrics(registry, pool)
  const labels = { version: VERSION, node: process.version, role }
  const info = new Gauge({
    name: 'galley_build_info',
    help: 'What runs here: always 1.',
    labelNames: Object.keys(labels),
    registers: [registry],
  })
  info.set(labels, 1)
}
