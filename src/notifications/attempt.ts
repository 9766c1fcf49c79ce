import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'

/** Minutes from a failed attempt to the next one. The first attempt is made at once, so there are four in all. */
export const RETRY_AFTER_MINUTES = [5, 15, 30] as const

/** Milliseconds that a receiver has for its answer. */
const RESPONSE_TIMEOUT_MS = 5_000

/**
 * Seconds for which an attempt belongs to the process that began it: the time for an answer, and some for writing down what
 * came of it. One that dies is known at once (`notifications/process-lock.ts`); this is for one that sleeps.
 */
export const LEASE_S = 10

/** The same of a mail, for which there is more time. */
export const MAIL_LEASE_S = 30

/** Milliseconds between two looks at what is due: how late an attempt is, at most, where nothing stands in its way. */
export const POLL_MS = 250

/** Attempts, in a row, that ended with their process. One more is not begun: something in it may be what ends them. */
export const MAX_INTERRUPTED = 10

/** What is kept of one that was not. */
export const NOT_BEGUN_CODE = 'not_begun'

/**
 * How many attempts are under way at once. Receivers that hang, each for five seconds, must not keep others waiting: those
 * of one address, of one account, and all together have places of their own; so has the mail of an account, since a mail
 * server takes few connections.
 */
export const CONCURRENCY_LIMITS = { ofOrigin: 25, ofMail: 5, ofAccount: 200, ofProcess: 800 } as const

/** Bytes of bodies that one process has in memory at most, beside the first. */
export const MAX_BYTES_IN_FLIGHT = 32 * 1024 * 1024

/** What came of one attempt. */
export interface AttemptResult {
  tookMs: number
  /** Null where there was no answer. */
  httpStatus: number | null
  /** Why it was not acknowledged; null where it was. */
  error: { code: string; message: string } | null
}

/**
 * Sends a notification once, to its address alone: where that answers with another one, a redirect, it was not acknowledged.
 * What else the answer has in it nobody looks at. That there was none is an answer too.
 *
 * @throws Error where Galley itself is to blame
 */
export async function postNotification(
  outbound: Outbound,
  { url, headers, body }: { url: string; headers: () => Record<string, string>; body: Buffer },
): Promise<AttemptResult> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const { status } = await outbound.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers() },
      body,
      timeoutMs: RESPONSE_TIMEOUT_MS,
      headOnly: true,
    })
    return { tookMs: took(), httpStatus: status, error: rejectionOf(status) }
  } catch (error) {
    if (error instanceof GalleyError)
      return { tookMs: took(), httpStatus: null, error: { code: error.code, message: error.message } }
    throw error
  }
}

function rejectionOf(status: number): AttemptResult['error'] {
  if (status >= 200 && status <= 299) return null
  const redirects = status >= 300 && status <= 399
  return {
    code: 'not_acknowledged',
    message: redirects
      ? `The receiver answered HTTP ${status}: it sends notifications elsewhere, and Galley does not follow. Give the address where they are taken.`
      : `The receiver answered HTTP ${status}; a notification is acknowledged with 2xx. Check what the receiver has logged about it.`,
  }
}
