import type { RequestHandler } from 'express'
import { COME_AGAIN_MS, type Lane } from '../bytes/index.ts'
import { GalleyError } from '../errors.ts'

/** Keeps room for the body of a request that a parser is about to read, until it is answered. */
export const roomFor =
  (lane: Lane, limit: number): RequestHandler =>
  (request, response, next) => {
    const length = Number(request.get('content-length') ?? limit)
    const plain = request.get('content-encoding') === undefined && !Number.isNaN(length)
    const share = lane.tryTake(Math.min(plain ? length : limit, limit))
    if (share === null) throw noRoom()
    response.once('close', () => share.release())
    next()
  }

/** What a client hears when this process holds as many bodies as it may. */
export const noRoom = (): GalleyError =>
  new GalleyError({
    code: 'MEMORY_BUSY',
    message:
      'Galley is at work on as many bodies as it may keep in memory, and did not take this one. Send it again in a moment; if this goes on, its operator can raise GALLEY_BYTES_IN_FLIGHT.',
    httpStatus: 503,
    action: 'retry',
    retryAfterMs: COME_AGAIN_MS,
  })
