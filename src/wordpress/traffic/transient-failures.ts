import { GalleyError } from '../../errors.ts'
import type { TransportCode } from '../../outbound/index.ts'
import type { FailureCode } from '../failures/index.ts'

/**
 * Failures of a site that may be over a moment later: a worker of PHP that died, a server that restarts, a line that broke.
 * All others are believed at once: firewalls, maintenance, certificates, names, and whoever asks for fewer requests.
 */
const TRANSIENT_CODES: ReadonlySet<string> = new Set<FailureCode | TransportCode>([
  'connection_lost',
  'site_unreachable',
  'site_timeout',
  'site_error',
  'gateway_error',
  'php_fatal_error',
  'database_down',
  'answer_unreadable',
])

/** Whether a failure may pass within moments. One that says when to come back does not. */
export const isTransient = (error: unknown): error is GalleyError =>
  error instanceof GalleyError && TRANSIENT_CODES.has(error.code) && error.retryAfterMs === undefined

/** What a failure says about the site: it failed, or it answered as one that works; null where it says neither. */
export function siteVerdict(error: unknown): 'failed' | 'answered' | null {
  if (!(error instanceof GalleyError)) return null
  if (error.fault === 'site') return 'failed'
  return error.fault === 'delivery' ? 'answered' : null
}

const unsent = new WeakSet<object>()

/** Whether this is the failure of another's request, because of which this one was not sent: the site knows nothing of it. */
export const isUnsent = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && unsent.has(error)

/**
 * A failure as it is told to those whose requests are not sent because of it. What WordPress said of the other's
 * (`details`) is not said of theirs.
 */
export function unsentFailure(error: GalleyError): GalleyError {
  const told = new GalleyError({
    code: error.code,
    message: error.message,
    action: error.action === 'ambiguous' ? 'retry' : error.action,
    fault: error.fault,
    httpStatus: error.httpStatus,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    cause: error,
  })
  unsent.add(told)
  return told
}
