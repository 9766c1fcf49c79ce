import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { inBatches, named, queryRows } from '../database/statement.ts'
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

interface ChangeBatch {
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

const RENEW_MS = 60_000

/** Milliseconds that a new stream waits for transactions that began before its account was watched, and between two looks. */
const SETTLE_MS = { all: 1_000, each: 50 }

interface KnownWatch extends AccountWatch {
  renewedAt: number
  /** Something may have been missed until then: once it is settled, everything has to be read again. */
  gap: boolean
}

/** What this process knows of the watches of accounts, and whether nothing was missed. */
export class AccountWatches {
  readonly #pool: Pool
  readonly #known = new Map<string, KnownWatch>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  get(accountId: string): AccountWatch {
    const known = this.#known.get(accountId)
    if (known === undefined) throw new Error(`account ${accountId} is not watched`)
    return known
  }

  /** Watches an account, and waits a moment for those who do not know it yet. */
  async settle(accountId: string): Promise<void> {
    const known = await this.#renew(accountId)
    for (let left = SETTLE_MS.all; left > 0; left -= SETTLE_MS.each) {
      if (await this.#isSettled(accountId, known)) return
      await wait(SETTLE_MS.each)
    }
    known.gap = true
  }

  /** Whether whoever has seen this finds everything since in what was read. */
  isContinuous(accountId: string, last: ChangePosition, { watches, overflown }: ChangeBatch): boolean {
    const now = watches.get(accountId)
    const { epoch, settled } = this.get(accountId)
    // What was under way then may have been forgotten before it was told.
    const kept = now !== undefined && now.epoch === epoch && now.purged < last.xmin
    const complete = settled !== null && last.xmax > settled
    return kept && last.epoch === epoch && complete && !overflown.has(accountId)
  }

  /** The accounts of which something may have been missed, or is too much to be told one by one. */
  async lost(accountIds: readonly string[], before: ChangePosition, found: ChangeBatch) {
    const lost = new Set(accountIds.filter((id) => found.overflown.has(id)))
    for (const accountId of accountIds) {
      const known = this.#known.get(accountId) as KnownWatch
      const now = found.watches.get(accountId)
      const isGone = now === undefined || now.epoch !== known.epoch
      if (isGone || performance.now() - known.renewedAt > RENEW_MS) await this.#renew(accountId)
      if (now !== undefined && now.purged >= before.xmax) lost.add(accountId)
      if (known.gap && (await this.#isSettled(accountId, known))) {
        known.gap = false
        lost.add(accountId)
      }
    }
    return lost
  }

  async #isSettled(accountId: string, known: KnownWatch): Promise<boolean> {
    if (known.settled !== null) return true
    const { epoch } = known
    const settled = await settleWatch(this.#pool, accountId, known)
    // Another recording may have begun meanwhile.
    if (known.epoch === epoch) known.settled = settled
    return known.settled !== null
  }

  /** One object for each account, which whoever waits for it keeps. */
  async #renew(accountId: string): Promise<KnownWatch> {
    const now = { ...(await watchAccount(this.#pool, accountId)), renewedAt: performance.now() }
    const before = this.#known.get(accountId)
    const gap = before !== undefined && (before.gap || before.epoch !== now.epoch)
    const known = Object.assign(before ?? {}, now, { gap })
    this.#known.set(accountId, known)
    return known
  }
}

/** Minutes for which changes of an account go on being written down after its last stream has ended. */
const WATCH_MINUTES = 15

/** Triggers write nothing for an account that has had no stream for {@link WATCH_MINUTES}. */
interface AccountWatch {
  epoch: string
  /** Of every transaction from this one on, what it changes is written down. */
  since: bigint
  /** From here on, a position has seen all that was not written down; null while that may be under way. */
  settled: bigint | null
  /** Of this transaction and those before it, what it changed may be forgotten. */
  purged: bigint
}

interface WatchRow {
  epoch: number
  since: string | null
  settled: string | null
  purged: string
}

async function watchAccount(pool: Pool, accountId: string): Promise<AccountWatch> {
  const { rows } = await pool.query<WatchRow>({
    name: 'watch-changes',
    ...named(EXTEND_WATCH, { accountId, epoch: randomInt(1, 2 ** 31 - 1) }),
  })
  const [row] = rows
  if (row === undefined) throw new Error('an upsert returns its row')
  // Only now that others see the row: whoever begins after this moment writes down what it changes.
  const [begun] = row.since === null ? await queryRows<WatchRow>(pool, BEGIN_WATCH, { accountId }) : rows
  const { epoch, since, settled, purged } = begun ?? row
  return since === null
    ? watchAccount(pool, accountId)
    : {
        epoch: String(epoch),
        since: BigInt(since),
        settled: settled === null ? null : BigInt(settled),
        purged: BigInt(purged),
      }
}

/**
 * Whether all that began before an account was watched has ended, noted for all processes: `settled` of the watch.
 * Transactions of other databases of the server, and autovacuum, change nothing of ours.
 */
async function settleWatch(pool: Pool, accountId: string, { epoch, since }: AccountWatch) {
  const over = await queryRows<{ over: boolean }>(pool, TRANSACTIONS_OVER, { since: String(since) })
  if (over[0]?.over !== true) return null
  // After that look, so that the snapshot of this statement shows all of what ended before it.
  const rows = await queryRows<{ settled: string }>(pool, SETTLE, { accountId, epoch })
  return rows[0] === undefined ? null : BigInt(rows[0].settled)
}

// That of an earlier recording stands until it is written anew, and is smaller than this one's beginning.
const OF_THIS_RECORDING = 'CASE WHEN settled >= since THEN settled END'

const EXTEND_WATCH = `
  INSERT INTO change_watch AS w (account_id, epoch, until)
  VALUES (:accountId::uuid, :epoch::int, now() + interval '${WATCH_MINUTES} minutes')
  ON CONFLICT (account_id) DO UPDATE SET until = excluded.until,
    epoch = CASE WHEN w.until > now() THEN w.epoch ELSE excluded.epoch END,
    since = CASE WHEN w.until > now() THEN w.since END
  RETURNING epoch, since, ${OF_THIS_RECORDING} AS settled, purged`

const BEGIN_WATCH = `
  UPDATE change_watch SET since = coalesce(since, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
  WHERE account_id = :accountId::uuid
  RETURNING epoch, since, ${OF_THIS_RECORDING} AS settled, purged`

// What a backend shows of its transaction has no epoch, so that ages are compared. A transaction shows its number from before
// the first of its triggers runs until what it did is visible.
const TRANSACTIONS_OVER = `
  SELECT NOT EXISTS (
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type IS DISTINCT FROM 'autovacuum worker'
      AND age(backend_xid) > age((:since::bigint & 4294967295)::text::xid)
  ) AS over`

// This is a transaction itself, of at least the number that it writes: whatever snapshot comes after it has a greater one.
const SETTLE = `
  UPDATE change_watch SET settled = coalesce(${OF_THIS_RECORDING},
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
  WHERE account_id = :accountId::uuid AND epoch = :epoch::int
  RETURNING settled`
