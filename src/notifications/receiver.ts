import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import { ANSWER_WITHIN_MS } from './timetable.ts'

/** What came of one attempt. */
export interface Answer {
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
export async function tell(
  outbound: Outbound,
  { url, headers, body }: { url: string; headers: () => Record<string, string>; body: Buffer },
): Promise<Answer> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const { status } = await outbound.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers() },
      body,
      timeoutMs: ANSWER_WITHIN_MS,
      headOnly: true,
    })
    return { tookMs: took(), httpStatus: status, error: refusalOf(status) }
  } catch (error) {
    if (error instanceof GalleyError)
      return { tookMs: took(), httpStatus: null, error: { code: error.code, message: error.message } }
    throw error
  }
}

function refusalOf(status: number): Answer['error'] {
  if (status >= 200 && status <= 299) return null
  const redirects = status >= 300 && status <= 399
  return {
    code: 'not_acknowledged',
    message: redirects
      ? `The receiver answered HTTP ${status}: it sends notifications elsewhere, and Galley does not follow. Give the address where they are taken.`
      : `The receiver answered HTTP ${status}; a notification is acknowledged with 2xx. Check what the receiver has logged about it.`,
  }
}
