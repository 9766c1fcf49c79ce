import type { ClientRateLimitInfo, Store } from 'express-rate-limit'

interface Window {
  totalHits: number
  /** As `performance.now()` counts. */
  endsAt: number
}

/**
 * Counts the hits of each client in windows of one length, in memory. The library's own store goes by the system's clock:
 * where that is put back, a window lasts as much longer, and whoever asks now and then meanwhile is refused for hours.
 */
export class Hits implements Store {
  readonly localKeys = true
  readonly #windowMs: number
  /** Those that began first come first, so that they also end first. */
  readonly #windows = new Map<string, Window>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  increment(key: string): ClientRateLimitInfo {
    const now = performance.now()
    for (const [ended, { endsAt }] of this.#windows) {
      if (endsAt > now) break
      this.#windows.delete(ended)
    }
    const window = this.#windows.get(key) ?? { totalHits: 0, endsAt: now + this.#windowMs }
    window.totalHits += 1
    this.#windows.set(key, window)
    return { totalHits: window.totalHits, resetTime: new Date(Date.now() + window.endsAt - now) }
  }

  decrement(key: string): void {
    const window = this.#windows.get(key)
    if (window) window.totalHits -= 1
  }

  resetKey(key: string): void {
    this.#windows.delete(key)
  }
}
