/** Milliseconds that a clock may be corrected by without having been put back. */
const CORRECTED_MS = 100

/** Tells by the steady clock of this process whether that of the database has been put back between two looks at it. */
export class DatabaseClock {
  #last: { at: number; heard: number } | undefined

  /**
   * @param at what the database said that it is, in milliseconds
   * @param asked when it was asked, by `performance.now()`
   * @returns whether it is less than has passed since the last time; undefined for the first
   */
  wasPutBack(at: number, asked: number): boolean | undefined {
    const last = this.#last
    this.#last = { at, heard: performance.now() }
    return last && at - last.at < asked - last.heard - CORRECTED_MS
  }
}
