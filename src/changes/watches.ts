import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { named, queryRows } from '../database/statement.ts'
import type { ChangeBatch, ChangePosition } from './change-log.ts'

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

interface Row {
  epoch: number
  since: string | null
  settled: string | null
  purged: string
}

async function watchAccount(pool: Pool, accountId: string): Promise<AccountWatch> {
  const { rows } = await pool.query<Row>({
    name: 'watch-changes',
    ...named(EXTEND_WATCH, { accountId, epoch: randomInt(1, 2 ** 31 - 1) }),
  })
  const [row] = rows
  if (row === undefined) throw new Error('an upsert returns its row')
  // Only now that others see the row: whoever begins after this moment writes down what it changes.
  const [begun] = row.since === null ? await queryRows<Row>(pool, BEGIN_WATCH, { accountId }) : rows
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
