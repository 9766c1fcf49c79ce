import { GalleyError } from '../errors.ts'

/** What the sender reads. `httpStatus` is 202 where something new was stored and 200 for a repetition. */
export interface Acknowledgement {
  httpStatus: number
  body: object
}

/** Milliseconds after which the sender is told to come again: it waits for five seconds (docs/contract.md). */
export const ACK_TIMEOUT_MS = 4_000

/**
 * What `work` comes to, or an error once its sender gives up. By hand, since it is done for every webhook: a package for
 * it makes an error of each, stack and all, also of those that are in time.
 */
export function withAckTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ACK_TIMEOUT_MS} ms`)), ACK_TIMEOUT_MS)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

const UNREADABLE: ReadonlySet<string> = new Set(['secret_key_missing', 'secret_unreadable'])

/** What a sender hears, whose webhook could have been taken at any other time. Never a 2xx for what is not stored. */
export const notStoredError = (cause: unknown): GalleyError =>
  cause instanceof GalleyError && UNREADABLE.has(cause.code)
    ? signingSecretUnreadableError(cause)
    : new GalleyError({
        code: 'NOT_STORED',
        message: 'The webhook could not be stored just now and was not accepted. Send it again.',
        httpStatus: 503,
        action: 'retry',
        retryAfterMs: 5_000,
        cause,
      })

/** The sender tries again later; the sentence is for whoever runs this Galley. */
const signingSecretUnreadableError = (cause: GalleyError): GalleyError =>
  new GalleyError({
    code: cause.code,
    message: `The webhook was not accepted, since its signature cannot be checked: ${cause.message} Send it again when that is done.`,
    httpStatus: 503,
    action: 'retry',
    cause,
  })

/** Where webhooks come in, as OpenAPI writes it: the token says from which source. */
export const webhookPath = '/v1/webhooks/{token}'

/** The whole address of a source. */
export const webhookUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}${webhookPath.replace('{token}', token)}`
