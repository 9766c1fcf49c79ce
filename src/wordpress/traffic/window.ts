/**
 * How many requests may be under way at once: one more for each round of successes, half as many after failures. A site
 * with trouble is given time, and one that works is used as far as its owner allows. After a failure that stands alone,
 * nobody follows in its place until the next success, and then it is as if there had been none.
 */
export class Window {
  #ceiling: number
  #size: number
  #used = 0
  /** Places that nobody takes until the next success. */
  #reserved = 0

  /** @param ceiling most requests at once, from 1 */
  constructor(ceiling: number) {
    this.#ceiling = ceiling
    this.#size = ceiling
  }

  get ceiling(): number {
    return this.#ceiling
  }

  set ceiling(ceiling: number) {
    const open = this.#size >= this.#ceiling
    this.#ceiling = ceiling
    this.#size = open ? ceiling : Math.min(this.#size, ceiling)
  }

  /** Places that nobody has. */
  get free(): number {
    return Math.max(0, Math.max(1, Math.floor(this.#size) - this.#reserved) - this.#used)
  }

  take(): void {
    this.#used += 1
  }

  release(): void {
    this.#used -= 1
  }

  /** After a success: as many of them as there are places make one place more. */
  widen(): void {
    this.#reserved = 0
    this.#size = Math.min(this.#ceiling, this.#size + 1 / Math.floor(this.#size))
  }

  /** After a failure that stands alone: until the next success nobody knows whether it does. */
  wait(): void {
    this.#reserved = 1
  }

  /** After a failure that is not the only one. */
  narrow(): void {
    this.#reserved = 0
    this.#size = Math.max(1, this.#size / 2)
  }

  /** One at a time, until successes widen it again. */
  shut(): void {
    this.#size = 1
  }
}
