import { Semaphore } from '../bytes/budget.ts'

/** Places of a lock: one for each who shares it, all for one who has it alone. */
const PLACES = 1_000_000

/** A lock of this process, held by many or by one alone; first come, first served, so that none starves. */
export class SharedExclusiveLock {
  readonly #places = new Semaphore(PLACES)

  /** Waits for a shared hold. @returns the release */
  async acquireShared(): Promise<() => void> {
    const place = await this.#places.take(1)
    return () => place.release()
  }

  async shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.acquireShared()
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Runs `work` alone. @param giveUp ends the wait for current holders @returns whether `work` was run */
  async exclusive(work: () => Promise<unknown>, giveUp: AbortSignal): Promise<boolean> {
    const all = giveUp.aborted
      ? undefined
      : await this.#places.take(PLACES, { signal: giveUp }).catch(() => undefined)
    if (all === undefined) return false
    try {
      await work()
      return true
    } finally {
      all.release()
    }
  }
}
