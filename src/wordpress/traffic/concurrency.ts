import { GalleyError } from '../../errors.ts'
import { refusesCredentials } from '../failures/index.ts'
import { Health } from './health.ts'
import { notSent, passes, saidOfSite } from './passing.ts'
import { Window } from './window.ts'

/** Milliseconds after a failure that persists in which the site's pause is on its way to be stored. */
const MOMENT_MS = 2_000

/** What the answers of a site say of it, and how many requests it gets because of that. */
export class ConcurrencyControl {
  readonly window: Window
  readonly health: Health
  readonly #now: () => number
  /** Of the site, the last that was believed. */
  #failure: { error: GalleyError; at: number; pausedAt: number } | null = null
  /** Failures that were told to others, of whose requests the site knows nothing. */
  readonly #told = new WeakSet<object>()

  constructor(ceiling: number, now: () => number) {
    this.window = new Window(ceiling)
    this.health = new Health(now)
    this.#now = now
  }

  succeeded(): void {
    this.health.succeeded()
    this.window.widen()
  }

  /**
   * @returns whether nobody else is to try now: a dead site is not asked once more by everybody who waits, nor is one told
   * a wrong password so often
   */
  failed(error: unknown): error is GalleyError {
    if (error instanceof GalleyError && this.#told.has(error)) return false
    const said = saidOfSite(error)
    if (said === 'answered') this.succeeded()
    if (said === 'failed') this.#siteFailed(error)
    if (!(error instanceof GalleyError)) return false
    return (said === 'failed' && this.health.persists) || refusesCredentials(error)
  }

  /** See `Traffic`. */
  watch(): () => GalleyError | null {
    const began = this.#now()
    return () => {
      if (this.#failure === null || !this.health.persists) return null
      if (this.#now() - this.#failure.at > MOMENT_MS || began > this.#failure.pausedAt) return null
      const told = notSent(this.#failure.error)
      this.#told.add(told)
      return told
    }
  }

  /** See `Traffic`. */
  paused(): void {
    if (this.#failure !== null) this.#failure.pausedAt = Math.min(this.#failure.pausedAt, this.#now())
  }

  #siteFailed(error: unknown): void {
    this.health.failed(passes(error))
    if (error instanceof GalleyError)
      this.#failure = { error, at: this.#now(), pausedAt: Number.POSITIVE_INFINITY }
    if (this.health.persists) this.window.shut()
    else if (this.health.isIsolated && !isTimeout(error)) this.window.wait()
    else this.window.narrow()
  }
}

/** A site that answers late is asked for too much, however well it answered before. */
const isTimeout = (error: unknown): boolean => error instanceof GalleyError && error.code === 'site_timeout'
