import type { BatchRoute } from './batch/route.ts'
import type { Waiting } from './waiting.ts'

/** A batch smaller than this pays more for another start of WordPress than going together saves. */
const WORTH_A_PLACE = 5

/**
 * Those who wait for a place, first come, first served, and before all others those whose request is of no use when it is
 * late; who may go in one batch goes with the first of them.
 */
export class Queue {
  #waiting: Waiting[] = []

  get length(): number {
    return this.#waiting.length
  }

  push(waiting: Waiting): void {
    if (!mayBeLate(waiting))
      this.#waiting.splice(this.#waiting.findLastIndex((one) => !mayBeLate(one)) + 1, 0, waiting)
    else this.#waiting.push(waiting)
  }

  /** Those who had a place already and come again. */
  unshift(...again: Waiting[]): void {
    this.#waiting.unshift(...again)
  }

  /** Takes out all of them. */
  drain(): Waiting[] {
    return this.#waiting.splice(0)
  }

  /**
   * Takes out who goes next: one, or several for one batch.
   *
   * @param free places that there are; those who wait are spread over them
   */
  next(route: BatchRoute, free: number): Waiting[] {
    const first = this.#waiting.shift()
    if (first === undefined) return []
    if (!route.takes(first)) return [first]
    const fit = this.#waiting.filter((one) => route.takes(one))
    const share = Math.max(WORTH_A_PLACE, Math.ceil((fit.length + 1) / free))
    const party = route.party(first, fit, share)
    const going = new Set(party)
    this.#waiting = this.#waiting.filter((one) => !going.has(one))
    return party
  }
}

const mayBeLate = ({ outgoing: { holds } }: Waiting): boolean => holds === undefined
