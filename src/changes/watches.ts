import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Position } from './position.ts'
import type { Found } from './read.ts'
import { settle, type Watch, watch } from './watch.ts'

/** Milliseconds between two renewals. */
const RENEW_MS = 60_000

/** Milliseconds that a new stream waits for transactions that began before its account was watched, and between two looks. */
const SETTLE_MS = { all: 1_000, each: 50 }

interface Known extends Watch {
  renewedAt: number
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
    for (let left = SETTLE_MS.all; left > 0; left -= SETTLE_MS.each) {
      if (await this.#isSettled(accountId, known)) return
      await wait(SETTLE_MS.each)
    }
    known.gap = true
  }

  /** Whether whoever has seen this finds everything since in what was read. */
  goesOn(accountId: string, last: Position, { watches, overflown }: Found): boolean {
    const now = watches.get(accountId)
    const { epoch, settled } = this.of(accountId)
    const kept = now !== undefined && now.epoch === epoch && now.purged < last.xmax
    const complete = settled !== null && last.xmax > settled
    return kept && last.epoch === epoch && complete && !overflown.has(accountId)
  }

  /** The accounts of which something may have been missed, or is too much to be told one by one. */
  async lost(accountIds: readonly string[], before: Position, found: Found): Promise<Set<string>> {
    const lost = new Set(accountIds.filter((id) => found.overflown.has(id)))
    for (const accountId of accountIds) {
      const known = this.#known.get(accountId) as Known
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

  async #isSettled(accountId: string, known: Known): Promise<boolean> {
    if (known.settled !== null) return true
    const { epoch } = known
    const settled = await settle(this.#pool, accountId, known)
    // Another recording may have begun meanwhile.
    if (known.epoch === epoch) known.settled = settled
    return known.settled !== null
  }

  /** One object for each account, which whoever waits for it keeps. */
  async #renew(accountId: string): Promise<Known> {
    const now = { ...(await watch(this.#pool, accountId)), renewedAt: performance.now() }
    const before = this.#known.get(accountId)
    const gap = before !== undefined && (before.gap || before.epoch !== now.epoch)
    const known = Object.assign(before ?? {}, now, { gap })
    this.#known.set(accountId, known)
    return known
  }
}
