import { randomInt } from 'node:crypto'
import type { Pool } from 'pg'
import { named } from '../database/named.ts'

/** Minutes for which changes of an account go on being written down after its last stream has ended. */
const WATCHED_MINUTES = 15

/**
 * That changes of an account are written down. Nobody pays for what nobody looks at: the triggers write nothing for an account
 * that has had no stream for {@link WATCHED_MINUTES}.
 */
export interface Watch {
  epoch: string
  /** Of every transaction from this one on, what it changes is written down. */
  since: bigint
  /**
   * Whoever has seen more than the transactions before this one has seen all that was not written down; null while some of
   * that may be under way.
   */
  settled: bigint | null
  /** Of this transaction and those before it, what it changed may be forgotten. */
  purged: bigint
}

interface Row {
  epoch: number
  since: string | null
  settled: string | null
  purged: string
}

/** Has the changes of an account written down from now on, or for longer. */
export async function watch(pool: Pool, accountId: string): Promise<Watch> {
  const { rows } = await pool.query<Row>({
    name: 'watch-changes',
    ...named(WATCH, { accountId, epoch: randomInt(1, 2 ** 31 - 1) }),
  })
  const [row] = rows
  if (row === undefined) throw new Error('an upsert returns its row')
  // Only now that others see the row: whoever begins after this moment writes down what it changes.
  const begun = row.since === null ? await pool.query<Row>(named(BEGIN, { accountId })) : { rows }
  const { epoch, since, settled, purged } = begun.rows[0] ?? row
  return since === null
    ? watch(pool, accountId)
    : {
        epoch: String(epoch),
        since: BigInt(since),
        settled: settled === null ? null : BigInt(settled),
        purged: BigInt(purged),
      }
}

/**
 * Looks whether all that began in this database before an account was watched has ended, and notes it for all processes.
 * Transactions of other databases of the same server are in every snapshot, too, for hours where somebody else's job runs, but
 * change nothing of ours; nor does autovacuum.
 *
 * @returns what `settled` of the watch is now
 */
export async function settle(pool: Pool, accountId: string, { epoch, since }: Watch): Promise<bigint | null> {
  const { rows: over } = await pool.query<{ over: boolean }>(named(OVER, { since: String(since) }))
  if (over[0]?.over !== true) return null
  // After that look, so that the snapshot of this statement shows all of what ended before it.
  const { rows } = await pool.query<{ settled: string }>(named(SETTLE, { accountId, epoch }))
  return rows[0] === undefined ? null : BigInt(rows[0].settled)
}

// That of an earlier recording stands until it is written anew, and is smaller than this one's beginning.
const OF_THIS_RECORDING = 'CASE WHEN settled >= since THEN settled END'

const WATCH = `
  INSERT INTO change_watch AS w (account_id, epoch, until)
  VALUES (:accountId::uuid, :epoch::int, now() + interval '${WATCHED_MINUTES} minutes')
  ON CONFLICT (account_id) DO UPDATE SET until = excluded.until,
    epoch = CASE WHEN w.until > now() THEN w.epoch ELSE excluded.epoch END,
    since = CASE WHEN w.until > now() THEN w.since END
  RETURNING epoch, since, ${OF_THIS_RECORDING} AS settled, purged`

const BEGIN = `
  UPDATE change_watch SET since = coalesce(since, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
  WHERE account_id = :accountId::uuid
  RETURNING epoch, since, ${OF_THIS_RECORDING} AS settled, purged`

// What a backend shows of its transaction has no epoch, so that ages are compared. A transaction shows its number from before
// the first of its triggers runs until what it did is visible.
const OVER = `
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
