import { GalleyError } from '../errors.ts'

/** A process has so much room, and a key so much of it. */
export const tooManyStreams = (ofKey: number): GalleyError =>
  new GalleyError({
    code: 'TOO_MANY_STREAMS',
    httpStatus: 429,
    action: 'retry',
    retryAfterMs: 10_000,
    message: `A key has ${ofKey} streams at one process at most, and a process has so many in all. Close one you do not need; a single stream covers the whole account.`,
  })

/** The process ends, and another answers. */
export const stopping = (): GalleyError =>
  new GalleyError({
    code: 'STOPPING',
    httpStatus: 503,
    action: 'retry',
    retryAfterMs: 1_000,
    message: 'This process of Galley is stopping. Open the stream again in a moment.',
  })
