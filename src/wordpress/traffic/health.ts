/** Failures, one after the other, that are no hiccup. */
const IN_A_ROW = 4
/** Of so many requests, the latest, half have to succeed. */
const RECENT = 20
/** Fewer than these say nothing about a share. */
const ENOUGH = 8
/** Of so many answers, the latest, a single failure is chance. */
const LATEST = 10
/** Milliseconds for which a success speaks for a site. */
const LATELY_MS = 10 * 60_000
/** Milliseconds without a request after which what was before is no more than history: the site has been paused. */
const QUIET_MS = 3_000

/**
 * How a site has answered lately: whether its failures are hiccups, which are got over in place, or whether it has failed
 * for good, so that it is left alone.
 */
export class Health {
  readonly #now: () => number
  #recent: boolean[] = []
  #failedInARow = 0
  /** It failed in a way that does not pass by itself, and nothing has succeeded since. */
  #refused = false
  #succeededAt: number | null = null
  #lastAt = 0

  /** @param now milliseconds on a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  succeeded(): void {
    if (this.#failedInARow >= IN_A_ROW) this.#recent = []
    this.#note(true)
    this.#failedInARow = 0
    this.#refused = false
    this.#succeededAt = this.#now()
  }

  /** @param passes whether failures of this kind pass by themselves within moments */
  failed(passes: boolean): void {
    this.#note(false)
    this.#failedInARow += 1
    if (!passes) this.#refused = true
  }

  /** Whether failures of the site persist, so that it is to be paused. False where all went well, and after a hiccup. */
  get persists(): boolean {
    return (this.#failedInARow > 0 && !this.hopeful) || this.#mostFail
  }

  /** Whether a request that failed now may well succeed in a moment. A site that has answered nothing well gives no hope. */
  get hopeful(): boolean {
    const lately = this.#succeededAt !== null && this.#now() - this.#succeededAt < LATELY_MS
    return lately && !this.#refused && this.#failedInARow < IN_A_ROW && !this.#mostFail
  }

  /** Whether the latest failure stands alone among answers of a site that works. */
  get isIsolated(): boolean {
    const latest = this.#recent.slice(-LATEST)
    return latest.length > 1 && latest.filter((good) => !good).length === 1
  }

  get #mostFail(): boolean {
    const { length } = this.#recent
    return length >= ENOUGH && this.#recent.filter((good) => !good).length * 2 >= length
  }

  #note(good: boolean): void {
    const now = this.#now()
    if (now - this.#lastAt > QUIET_MS) this.#recent = []
    this.#lastAt = now
    this.#recent = [...this.#recent, good].slice(-RECENT)
  }
}
