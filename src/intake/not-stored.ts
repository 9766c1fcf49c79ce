import { GalleyError } from '../errors.ts'

/** What a sender hears, whose webhook could have been taken at any other time. Never a 2xx for what is not stored. */
export const notStored = (cause: unknown): GalleyError =>
  new GalleyError({
    code: 'NOT_STORED',
    message: 'The webhook could not be stored just now and was not accepted. Send it again.',
    httpStatus: 503,
    action: 'retry',
    retryAfterMs: 5_000,
    cause,
  })
