import type { ErrorRequestHandler, RequestHandler } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import type { Config } from '../config.ts'
import { GalleyError } from '../errors.ts'
import { callerOf } from './authentication.ts'
import { Hits } from './hits.ts'

const MINUTE_MS = 60_000

/** Wrong keys and unknown webhook addresses one client may try in a minute before it is told to stop. */
const GUESSES_PER_MINUTE = 60

export const tooMany =
  (message: string): RequestHandler =>
  () => {
    throw new GalleyError({ code: 'TOO_MANY_REQUESTS', httpStatus: 429, action: 'retry', message })
  }

/** Keeps one account from taking all of this process; generous, and by account so that more keys do not help. */
export function accountLimit({ requestsPerMinute }: Pick<Config, 'requestsPerMinute'>): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    store: new Hits(MINUTE_MS),
    limit: requestsPerMinute,
    skip: () => requestsPerMinute === 0,
    keyGenerator: (_request, response) => callerOf(response).accountId,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler: tooMany(
      `This account has made more than ${requestsPerMinute} requests in a minute. Wait as long as Retry-After says.`,
    ),
  })
}

/** The failures that somebody makes who guesses keys or webhook addresses. */
const guesses = new Set(['UNAUTHENTICATED', 'INVALID_API_KEY', 'SESSION_ENDED', 'SOURCE_UNKNOWN'])

/**
 * Slows down guessing. Only failures are counted and only failures are refused: behind one proxy or one office
 * router, a client with a valid key must not pay for its neighbour.
 */
export function guessLimit(): ErrorRequestHandler {
  const limit = rateLimit({
    windowMs: MINUTE_MS,
    store: new Hits(MINUTE_MS),
    limit: GUESSES_PER_MINUTE,
    keyGenerator: ({ ip, socket }) => ipKeyGenerator(ip ?? socket.remoteAddress ?? 'unknown'),
    standardHeaders: false,
    legacyHeaders: false,
    handler: tooMany('Too many requests without a valid key or address came from here. Wait a minute.'),
  })
  return (error, request, response, next) => {
    if (!(error instanceof GalleyError && guesses.has(error.code))) return next(error)
    // The limiter passes on with nothing where the guess is still allowed: its own failure is the answer then.
    return limit(request, response, (exceeded?: unknown) => next(exceeded ?? error))
  }
}
