import type { ErrorRequestHandler, RequestHandler } from 'express'
import { type ClientRateLimitInfo, ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit'
import type { Config } from '../config/config.ts'
import { GalleyError } from '../errors.ts'
import { callerOf } from './authentication.ts'

const MINUTE_MS = 60_000

/** Wrong keys and unknown webhook addresses one client may try in a minute before it is told to stop. */
const GUESSES_PER_MINUTE = 60

export const tooManyRequests =
  (message: string): RequestHandler =>
  () => {
    throw new GalleyError({ code: 'TOO_MANY_REQUESTS', httpStatus: 429, action: 'retry', message })
  }

/** Keeps one account from taking all of this process; generous, and by account so that more keys do not help. */
export function accountRateLimit({ requestsPerMinute }: Pick<Config, 'requestsPerMinute'>): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    store: new MemoryRateLimitStore(MINUTE_MS),
    limit: requestsPerMinute,
    skip: () => requestsPerMinute === 0,
    keyGenerator: (_request, response) => callerOf(response).accountId,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler: tooManyRequests(
      `This account has made more than ${requestsPerMinute} requests in a minute. Wait as long as Retry-After says.`,
    ),
  })
}

/** The failures that somebody makes who guesses keys or webhook addresses. */
const GUESS_CODES = new Set(['UNAUTHENTICATED', 'INVALID_API_KEY', 'SESSION_ENDED', 'SOURCE_UNKNOWN'])

/**
 * Slows down guessing. Only failures are counted and only failures are refused: behind one proxy or one office
 * router, a client with a valid key must not pay for its neighbour.
 */
export function guessRateLimit(): ErrorRequestHandler {
  const limit = rateLimit({
    windowMs: MINUTE_MS,
    store: new MemoryRateLimitStore(MINUTE_MS),
    limit: GUESSES_PER_MINUTE,
    keyGenerator: ({ ip, socket }) => ipKeyGenerator(ip ?? socket.remoteAddress ?? 'unknown'),
    standardHeaders: false,
    legacyHeaders: false,
    handler: tooManyRequests(
      'Too many requests without a valid key or address came from here. Wait a minute.',
    ),
  })
  return (error, request, response, next) => {
    if (!(error instanceof GalleyError && GUESS_CODES.has(error.code))) return next(error)
    // The limiter passes on with nothing where the guess is still allowed: its own failure is the answer then.
    return limit(request, response, (exceeded?: unknown) => next(exceeded ?? error))
  }
}

interface RateLimitWindow {
  totalHits: number
  /** As `performance.now()` counts. */
  endsAt: number
}

/**
 * Counts the hits of each client in windows of one length, in memory. The library's own store goes by the system's clock:
 * where that is put back, a window lasts as much longer, and whoever asks now and then meanwhile is refused for hours.
 */
export class MemoryRateLimitStore implements Store {
  readonly localKeys = true
  readonly #windowMs: number
  /** Those that began first come first, so that they also end first. */
  readonly #windows = new Map<string, RateLimitWindow>()

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
