import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type Position, positionOf } from './position.ts'
import { currentSnapshot, type Found } from './read.ts'
import { type Watch, watch } from './watch.ts'

/** Milliseconds between two renewals. */
const RENEW_MS = 60_000

/** Milliseconds that a new stream waits for transactions that began before its account was watched, and between two looks. */
const SETTLE_MS = { all: 1_000, each: 50 }

interface Known extends Watch {
  renewedAt: number
  /** Whatever began before the account was watched has ended. Until then, it may change something that nobody writes down. */
  settled: boolean
  /** Something may have been missed until then: once it is settled, everything has to be read again. */
  gap: boolean
}

/** What this process knows of the watches of accounts, and whether nothing was missed. */
export class Watches {
  readonly #pool: Pool
  readonly #known = new Map<string, Known>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** The watch of an account that was settled once. */
  of(accountId: string): Watch {
    const known = this.#known.get(accountId)
    if (known === undefined) throw new Error(`account ${accountId} is not watched`)
    return known
  }

  /** Watches an account, and waits a moment for those who do not know it yet. */
  async settle(accountId: string): Promise<void> {
    const known = await this.#renew(accountId)
    for (let left = SETTLE_MS.all; !known.settled && left > 0; left -= SETTLE_MS.each) {
      known.settled = positionOf('0', await currentSnapshot(this.#pool)).xmin >= known.since
      if (!known.settled) await wait(SETTLE_MS.each)
    }
    known.gap ||= !known.settled
  }

  /** Whether whoever has seen this finds everything since in what was read. */
  goesOn(accountId: string, last: Position, { watches, overflown }: Found): boolean {
    const now = watches.get(accountId)
    const { epoch, since } = this.of(accountId)
    const kept = now !== undefined && now.epoch === epoch && now.purged < last.xmax
    return kept && last.epoch === epoch && last.xmin >= since && !overflown.has(accountId)
  }

  /** The accounts of which something may have been missed, or is too much to be told one by one. */
  async lost(accountIds: readonly string[], before: Position, found: Found): Promise<Set<string>> {
    const lost = new Set(accountIds.filter((id) => found.overflown.has(id)))
    const { xmin } = positionOf('0', found.snapshot)
    for (const accountId of accountIds) {
      let known = this.#known.get(accountId) as Known
      const now = found.watches.get(accountId)
      const isGone = now === undefined || now.epoch !== known.epoch
      if (isGone || performance.now() - known.renewedAt > RENEW_MS) known = await this.#renew(accountId)
      if (now !== undefined && now.purged >= before.xmax) lost.add(accountId)
      known.settled ||= xmin >= known.since
      if (known.settled && known.gap) {
        known.gap = false
        lost.add(accountId)
      }
    }
    return lost
  }

  async #renew(accountId: string): Promise<Known> {
    const now = await watch(this.#pool, accountId)
    const before = this.#known.get(accountId)
    const known = {
      ...now,
      renewedAt: performance.now(),
      settled: before?.epoch === now.epoch && before.settled,
      gap: before !== undefined && (before.gap || before.epoch !== now.epoch),
    }
    this.#known.set(accountId, known)
    return known
  }
}
