import { GalleyError } from '../errors.ts'

const UNREADABLE: ReadonlySet<string> = new Set(['secret_key_missing', 'secret_unreadable'])

/** What a sender hears, whose webhook could have been taken at any other time. Never a 2xx for what is not stored. */
export const notStored = (cause: unknown): GalleyError =>
  cause instanceof GalleyError && UNREADABLE.has(cause.code)
    ? signingSecretUnreadable(cause)
    : new GalleyError({
        code: 'NOT_STORED',
        message: 'The webhook could not be stored just now and was not accepted. Send it again.',
        httpStatus: 503,
        action: 'retry',
        retryAfterMs: 5_000,
        cause,
      })

/** The sender tries again later; the sentence is for whoever runs this Galley. */
const signingSecretUnreadable = (cause: GalleyError): GalleyError =>
  new GalleyError({
    code: cause.code,
    message: `The webhook was not accepted, since its signature cannot be checked: ${cause.message} Send it again when that is done.`,
    httpStatus: 503,
    action: 'retry',
    cause,
  })
