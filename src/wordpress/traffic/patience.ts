import { setTimeout as sleep } from 'node:timers/promises'

/** How often a request is made before its failure is believed. */
export const TRIES = 3

const FIRST_PAUSE_MS = 150

/**
 * Waits before a request is made again: 75 to 225 ms, then 150 to 450, so that those whose requests
 * failed side by side do not come back in one moment.
 *
 * @param tries how often it has failed, from 1
 */
export const pause = (tries: number): Promise<void> =>
  sleep(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random()))

/**
 * The same for those who failed in one request: they come back in one moment, so that what each of them looks for is asked
 * for in one request again.
 */
export class SharedPauses {
  readonly #underWay = new WeakMap<object, Map<number, Promise<void>>>()

  /** @param origin what all of them have in common */
  pause(origin: object, tries: number): Promise<void> {
    const pauses = this.#underWay.get(origin) ?? new Map<number, Promise<void>>()
    this.#underWay.set(origin, pauses)
    const shared = pauses.get(tries) ?? pause(tries)
    pauses.set(tries, shared)
    return shared
  }
}
