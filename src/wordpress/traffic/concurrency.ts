import { GalleyError } from '../../errors.ts'
import { judge } from '../failures/judge.ts'

/** Milliseconds after a failure that persists in which the site's pause is on its way to be stored. */
const PAUSE_GRACE_MS = 2_000

/** What the answers of a site say of it, and how many requests it gets because of that. */
export class ConcurrencyControl {
  readonly window: ConcurrencyWindow
  readonly health: FailureTracker
  readonly #now: () => number
  /** Of the site, the last that was believed. */
  #failure: { error: GalleyError; at: number; pausedAt: number } | null = null

  constructor(ceiling: number, now: () => number) {
    this.window = new ConcurrencyWindow(ceiling)
    this.health = new FailureTracker(now)
    this.#now = now
  }

  succeeded(): void {
    this.health.succeeded()
    this.window.widen()
  }

  /** @returns whether nobody else is to try now: a dead site, or one with a wrong password, is asked once */
  failed(error: unknown): error is GalleyError {
    if (!(error instanceof GalleyError) || isUnsent(error)) return false
    const { site, passes, ofCredentials } = judge(error)
    if (site === 'works') this.succeeded()
    if (site === 'fails') this.#siteFailed(error, passes)
    return (site === 'fails' && this.health.persists) || ofCredentials
  }

  watch(): () => GalleyError | null {
    const began = this.#now()
    return () => {
      if (this.#failure === null || !this.health.persists) return null
      if (this.#now() - this.#failure.at > PAUSE_GRACE_MS || began > this.#failure.pausedAt) return null
      return unsentFailure(this.#failure.error)
    }
  }

  paused(): void {
    if (this.#failure !== null) this.#failure.pausedAt = Math.min(this.#failure.pausedAt, this.#now())
  }

  #siteFailed(error: GalleyError, passes: boolean): void {
    this.health.failed(passes)
    this.#failure = { error, at: this.#now(), pausedAt: Number.POSITIVE_INFINITY }
    if (this.health.persists) this.window.shut()
    // A site that answers late is asked for too much, however well it answered before.
    else if (this.health.isIsolated && error.code !== 'site_timeout') this.window.wait()
    else this.window.narrow()
  }
}

/**
 * How many requests may be under way: one more for each round of successes, half as many after failures. After one that stands
 * alone, nobody follows in its place until the next success.
 */
export class ConcurrencyWindow {
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

  narrow(): void {
    this.#reserved = 0
    this.#size = Math.max(1, this.#size / 2)
  }

  /** One at a time, until successes widen it again. */
  shut(): void {
    this.#size = 1
  }
}

/** Consecutive failures that are no hiccup, of a site that answered well and of an unknown one. */
const MAX_CONSECUTIVE_FAILURES = { known: 4, unknown: 2 }
/** Of so many requests, the latest, half have to succeed. */
const SAMPLE_SIZE = 20
/** Fewer than these say nothing about a share. */
const MIN_SAMPLE = 8
/** Of so many answers, the latest, a single failure is chance. */
const ISOLATION_WINDOW = 10
/** Milliseconds for which a success speaks for a site. */
const RECENT_SUCCESS_MS = 10 * 60_000
/** Milliseconds without a request after which what was before is no more than history: the site has been paused. */
const IDLE_RESET_MS = 3_000

/** Whether a site's failures are hiccups, got over in place, or it has failed for good, and is left alone. */
export class FailureTracker {
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
    if (this.#failedInARow >= MAX_CONSECUTIVE_FAILURES.known) this.#recent = []
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

  /** Whether a request that failed now may well succeed in a moment. */
  get hopeful(): boolean {
    const known = this.#succeededAt !== null && this.#now() - this.#succeededAt < RECENT_SUCCESS_MS
    const most = MAX_CONSECUTIVE_FAILURES[known ? 'known' : 'unknown']
    return !this.#refused && this.#failedInARow < most && !this.#mostFail
  }

  /** Whether the latest failure stands alone among answers of a site that works. */
  get isIsolated(): boolean {
    const latest = this.#recent.slice(-ISOLATION_WINDOW)
    return latest.length > 1 && latest.filter((good) => !good).length === 1
  }

  get #mostFail(): boolean {
    const { length } = this.#recent
    return length >= MIN_SAMPLE && this.#recent.filter((good) => !good).length * 2 >= length
  }

  #note(good: boolean): void {
    const now = this.#now()
    if (now - this.#lastAt > IDLE_RESET_MS) this.#recent = []
    this.#lastAt = now
    this.#recent = [...this.#recent, good].slice(-SAMPLE_SIZE)
  }
}

const unsent = new WeakSet<object>()

/** Whether this is the failure of another's request, because of which this one was not sent: the site knows nothing of it. */
export const isUnsent = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && unsent.has(error)

/** A failure as told to those who are not sent because of it, without what WordPress said. */
export function unsentFailure(error: GalleyError): GalleyError {
  const { message, action } = error
  const told = new GalleyError({
    ...{ ...error, message, details: undefined, cause: error },
    action: action === 'ambiguous' ? 'retry' : action,
  })
  unsent.add(told)
  return told
}
