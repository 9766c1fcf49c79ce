import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'

/** Minutes from a failed attempt to the next; four attempts in all, the first at once. */
export const RETRY_AFTER_MINUTES = [5, 15, 30] as const

const RESPONSE_TIMEOUT_MS = 5_000

/**
 * Seconds that an attempt belongs to its process: the time-out, and some to store the result. A
 * dead process is known at once (`notifications/process-lock.ts`); this limit is for a sleeping
 * one.
 */
export const LEASE_S = 10

export const MAIL_LEASE_S = 30

/** Milliseconds between polls: the most by which an attempt is late. */
export const POLL_MS = 250

/**
 * Attempts in a row that ended with their process, after which no more starts: the notification may
 * be the cause.
 */
export const MAX_INTERRUPTED = 10

export const NOT_BEGUN_CODE = 'not_begun'

/**
 * Concurrent attempts. Receivers that hang for five seconds must not delay others, so each origin,
 * account and process has a limit, and so has an account's mail, since mail servers take few
 * connections.
 */
export const CONCURRENCY_LIMITS = { ofOrigin: 25, ofMail: 5, ofAccount: 200, ofProcess: 800 } as const

/** Bytes of bodies that one process holds, beside the first. */
export const MAX_BYTES_IN_FLIGHT = 32 * 1024 * 1024

export interface AttemptResult {
  tookMs: number
  /** Null where there was no answer. */
  httpStatus: number | null
  /** Why it was not acknowledged; null where it was. */
  error: { code: string; message: string } | null
}

/**
 * Posts a notification once, following no redirect, which counts as not acknowledged. Ignores the
 * answer's body. A missing answer is a result too.
 *
 * @throws Error where Galley itself is at fault
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
