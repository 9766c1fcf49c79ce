import type { RequestHandler } from 'express'
import { COME_AGAIN_MS, type Lane } from '../bytes/index.ts'
import { GalleyError } from '../errors.ts'

/**
 * Pieces in which a parsed body may come. Whoever sends it byte by byte makes an object of each, and of a megabyte a
 * hundred; no client that means well does.
 */
const MOST_PIECES = 20_000

/**
 * Keeps room for the body of a request that a parser is about to read, until it is answered. The connection of one that
 * comes in too many pieces is cut.
 */
export const roomFor =
  (lane: Lane, limit: number): RequestHandler =>
  (request, response, next) => {
    const length = Number(request.get('content-length') ?? limit)
    const plain = request.get('content-encoding') === undefined && !Number.isNaN(length)
    const share = lane.tryTake(Math.min(plain ? length : limit, limit))
    if (share === null) throw noRoom()
    response.once('close', () => share.release())
    let pieces = 0
    request.on('data', () => {
      pieces += 1
      if (pieces > MOST_PIECES) request.destroy()
    })
    next()
  }

/** What a client hears when this process holds as many bodies as it may. */
export const noRoom = (): GalleyError =>
  new GalleyError({
    code: 'MEMORY_BUSY',
    message:
      'Galley is handling as much data as its memory limit allows, and did not accept this request. Send it again in a moment; if this goes on, its operator can raise GALLEY_BYTES_IN_FLIGHT.',
    httpStatus: 503,
    action: 'retry',
    retryAfterMs: COME_AGAIN_MS,
  })
