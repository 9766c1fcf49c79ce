import type { Pool } from 'pg'
import { inBatches, queryRows } from '../database/statement.ts'
import type { WorkFactory } from '../jobs/job.ts'

const kinds = ['delivery', 'site', 'event', 'job', 'bulk_job'] as const

/** That something was made, changed or removed: what, and nothing of what it is now. */
export interface Change {
  kind: (typeof kinds)[number]
  id: string
}

export interface StoredChange extends Change {
  accountId: string
  /** A key that is limited to sites sees it if it sees all of these; null for what only keys without a limit see. */
  siteIds: string[] | null
  /** Whose it is, of what a limited key sees its own alone; null of all else. */
  keyId: string | null
}

export interface ChangeBatch {
  snapshot: string
  changes: StoredChange[]
  /** Accounts of which there is more than fits. */
  overflown: ReadonlySet<string>
  /** Of each account, its watch as it stands now; an account without one is not watched. */
  watches: ReadonlyMap<string, { epoch: string; purged: bigint }>
}

/** Changes of an account that are read at once. Of more than that, to read everything again is quicker. */
const MAX_CHANGES = 2_000

interface Row {
  snapshot: string
  accountId: string
  epoch: number | null
  purged: string | null
  found: Omit<StoredChange, 'accountId'>[]
  total: number
}

/** What has become visible of these accounts since somebody looked, each change once. */
export async function readChanges(
  pool: Pool,
  accountIds: readonly string[],
  position: ChangePosition,
): Promise<ChangeBatch> {
  // Planned anew each time: without its values, nobody knows how little it is.
  const rows = await queryRows<Row>(pool, READ, {
    accountIds,
    xmax: String(position.xmax),
    underWay: position.underWay.map(String),
  })
  const watched = rows.filter(({ epoch }) => epoch !== null)
  return {
    snapshot: (rows[0] as Row).snapshot,
    changes: rows.flatMap(({ accountId, found }) => found.map((change) => ({ ...change, accountId }))),
    overflown: new Set(rows.filter(({ total }) => total >= MAX_CHANGES).map(({ accountId }) => accountId)),
    watches: new Map(
      watched.map(({ accountId, epoch, purged }) => [
        accountId,
        { epoch: String(epoch), purged: BigInt(purged ?? 0) },
      ]),
    ),
  }
}

// One statement, so that the snapshot it tells is the one it reads by.
const READ = `
  SELECT pg_current_snapshot()::text AS snapshot, a.account_id AS "accountId", w.epoch, w.purged, c.found, c.total
  FROM unnest(:accountIds::uuid[]) AS a (account_id)
  LEFT JOIN change_watch w ON w.account_id = a.account_id
  LEFT JOIN LATERAL (
    SELECT coalesce(json_agg(DISTINCT jsonb_build_object('kind', r.kind, 'id', r.subject_id, 'siteIds', r.site_ids,
      'keyId', r.key_id)), '[]') AS found,
      count(*)::int AS total
    FROM (
      SELECT kind, subject_id, site_ids, key_id FROM change
      WHERE account_id = a.account_id AND (xid >= :xmax::bigint OR xid = ANY (:underWay::bigint[])) LIMIT ${MAX_CHANGES}
    ) AS r
  ) AS c ON true`

export async function currentSnapshot(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot')
  return (rows[0] as { snapshot: string }).snapshot
}

/** A snapshot of PostgreSQL: unlike a sequence of numbers, it misses nothing begun before and committed later. */
export interface ChangePosition {
  /** Which recording it belongs to: a database that crashed, or was restored, begins another. */
  epoch: string
  /** The oldest transaction that was under way. */
  xmin: bigint
  /** The first that had not begun. */
  xmax: bigint
  underWay: readonly bigint[]
}

const MAX_EVENT_ID_LENGTH = 2_000

const SNAPSHOT = /^(\d{1,18}):(\d{1,18}):((?:\d{1,18},)*\d{1,18})?$/

export function parseSnapshot(epoch: string, snapshot: string): ChangePosition {
  const [, xmin, xmax, list] = SNAPSHOT.exec(snapshot) ?? []
  if (xmin === undefined || xmax === undefined) throw new Error(`${snapshot} is not a snapshot`)
  return { epoch, xmin: BigInt(xmin), xmax: BigInt(xmax), underWay: list?.split(',').map(BigInt) ?? [] }
}

/** A position as the id of an event. Where very many transactions were under way, it is an earlier one, and some comes twice. */
export function formatPosition({ epoch, xmin, xmax, underWay }: ChangePosition): string {
  const id = `${epoch}-${xmin}:${xmax}:${underWay.join(',')}`
  return id.length <= MAX_EVENT_ID_LENGTH ? id : `${epoch}-${xmin}:${xmin}:`
}

/** Reads an id that came back; undefined for what is none. */
export function parsePosition(id: string): ChangePosition | undefined {
  if (id.length > MAX_EVENT_ID_LENGTH) return undefined
  const [epoch = '', snapshot = '', ...more] = id.split('-')
  const isPosition = /^\d{1,10}$/.test(epoch) && SNAPSHOT.test(snapshot) && more.length === 0
  return isPosition ? parseSnapshot(epoch, snapshot) : undefined
}

/** Minutes for which a change is kept, so that a stream that broke goes on where it was. */
const RETENTION_MINUTES = 15

const PURGE_BATCH = 5_000

/** Forgets old changes, and notes of each account up to where: who was there last reads everything again. */
export const purgeChanges = (pool: Pool): Promise<number> =>
  inBatches(PURGE_BATCH, async () => {
    const rows = await queryRows<{ purged: number }>(pool, PURGE, { minutes: RETENTION_MINUTES })
    return rows[0]?.purged ?? 0
  })

const PURGE = `
  WITH old AS (
    DELETE FROM change WHERE id = ANY (ARRAY(
      SELECT id FROM change WHERE at < now() - make_interval(mins => :minutes) ORDER BY at LIMIT ${PURGE_BATCH}))
    RETURNING account_id, xid
  ), noted AS (
    UPDATE change_watch w SET purged = greatest(w.purged, o.xid)
    FROM (SELECT account_id, max(xid) AS xid FROM old GROUP BY 1) AS o WHERE o.account_id = w.account_id
  ), ended AS (
    DELETE FROM change_watch WHERE until < now() - interval '1 day'
  )
  SELECT count(*)::int AS purged FROM old`

/** What the streams need done beside them: that old changes are forgotten. */
export const changeWork =
  (pool: Pool): WorkFactory =>
  () => ({ tasks: [], sweep: { rarely: [() => purgeChanges(pool)] } })
