import type { Pool } from 'pg'
import { named } from '../database/named.ts'
import { type Position, since } from './position.ts'

/** What a change is of. */
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

/** What was found. */
export interface Found {
  /** `pg_current_snapshot()` of that moment. */
  snapshot: string
  changes: StoredChange[]
  /** Accounts of which there is more than fits. */
  overflown: ReadonlySet<string>
  /** Of each account, its watch as it stands now; an account without one is not watched. */
  watches: ReadonlyMap<string, { epoch: string; purged: bigint }>
}

/** Changes of an account that are read at once. Of more than that, to read everything again is quicker. */
const MOST = 2_000

interface Row {
  snapshot: string
  account_id: string
  epoch: number | null
  purged: string | null
  found: { kind: Change['kind']; id: string; site_ids: string[] | null; key_id: string | null }[] | null
  total: number | null
}

/** What has become visible of these accounts since somebody looked, each change once. */
export async function readChanges(
  pool: Pool,
  accountIds: readonly string[],
  position: Position,
): Promise<Found> {
  // Planned anew each time: without its values, nobody knows how little it is.
  const { rows } = await pool.query<Row>(named(READ, { accountIds, ...since(position) }))
  const watched = rows.filter(({ epoch }) => epoch !== null)
  return {
    snapshot: (rows[0] as Row).snapshot,
    changes: rows.flatMap(({ account_id, found }) =>
      (found ?? []).map(({ site_ids, key_id, ...change }) => ({
        ...change,
        accountId: account_id,
        siteIds: site_ids,
        keyId: key_id,
      })),
    ),
    overflown: new Set(rows.filter(({ total }) => (total ?? 0) >= MOST).map(({ account_id }) => account_id)),
    watches: new Map(
      watched.map(({ account_id, epoch, purged }) => [
        account_id,
        { epoch: String(epoch), purged: BigInt(purged ?? 0) },
      ]),
    ),
  }
}

// One statement, so that the snapshot it tells is the one it reads by.
const READ = `
  SELECT pg_current_snapshot()::text AS snapshot, a.account_id, w.epoch, w.purged, c.found, c.total
  FROM unnest(:accountIds::uuid[]) AS a (account_id)
  LEFT JOIN change_watch w ON w.account_id = a.account_id
  LEFT JOIN LATERAL (
    SELECT json_agg(DISTINCT jsonb_build_object('kind', r.kind, 'id', r.subject_id, 'site_ids', r.site_ids,
      'key_id', r.key_id)) AS found,
      count(*)::int AS total
    FROM (
      SELECT kind, subject_id, site_ids, key_id FROM change
      WHERE account_id = a.account_id AND (xid >= :xmax::bigint OR xid = ANY (:underWay::bigint[])) LIMIT ${MOST}
    ) AS r
  ) AS c ON true`

/** The database's snapshot of this moment. */
export async function currentSnapshot(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot')
  return (rows[0] as { snapshot: string }).snapshot
}
