import { GalleyError } from '../../../errors.ts'
import type { Outbound } from '../../../outbound/index.ts'
import { excerpt } from '../../../text.ts'
import { GenerationError } from '../../failure.ts'
import type { RawAnswer } from '../answer.ts'
import type { CallContext } from '../types.ts'
import type { SearchSettings } from './settings.ts'

const TIMEOUT_MS = 20_000

/** Bytes; ten results with their snippets have some tens of kilobytes. */
const LONGEST = 1024 * 1024

/** One request to a search provider. */
export interface SearchCall {
  url: URL
  headers?: Record<string, string>
  /** Sent by POST, as JSON; GET without one. */
  body?: unknown
  /** What a 403 of this provider usually means. */
  forbidden?: string
}

/**
 * Sends one request, and gives back what came where that is an answer.
 *
 * @throws GenerationError
 */
export async function askSearch(
  outbound: Outbound,
  { name, timeoutMs = TIMEOUT_MS }: SearchSettings,
  { url, headers, body, forbidden }: SearchCall,
  { idempotencyKey, signal }: CallContext,
): Promise<RawAnswer> {
  const response = await outbound
    .request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Accept: 'application/json',
        'Idempotency-Key': idempotencyKey,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      maxBytes: LONGEST,
      timeoutMs,
      signal,
    })
    .catch((error) => {
      signal.throwIfAborted()
      if (!(error instanceof GalleyError) || error.fault === 'galley') throw error
      const made = error.action === 'ambiguous'
      throw failed(name, 'PROVIDER_UNAVAILABLE', 'provider', error.message, { made, cause: error })
    })
  const { status, headers: told, body: answer } = response
  if (status === 200) {
    const contentType = told['content-type']
    return { provider: name, model: '', body: answer, ...(contentType === undefined ? {} : { contentType }) }
  }
  const said = `It answered HTTP ${status}${excerptOf(answer)}.`
  if (status === 429 || status >= 500)
    throw failed(name, 'PROVIDER_UNAVAILABLE', 'provider', said, retryAfter(told['retry-after']))
  // What was asked is at fault; everything else (keys, plans, addresses) is the operator's to mend.
  if (status === 400 || status === 422) throw failed(name, 'PROVIDER_REJECTED', 'job', said)
  const meant = status === 403 ? forbidden : undefined
  const todo = meant ?? 'Check its address and its key in the settings.'
  throw failed(name, 'PROVIDER_REJECTED', 'provider', `${said} ${todo}`)
}

/** The failure of a search, as a sentence. */
export const failed = (
  name: string,
  reason: 'PROVIDER_UNAVAILABLE' | 'PROVIDER_REJECTED' | 'INVALID_OUTPUT',
  of: 'provider' | 'job',
  why: string,
  more: { made?: boolean; retryAfterMs?: number; cause?: unknown } = {},
): GenerationError =>
  new GenerationError({ reason, of, message: `The search provider ${name} gave no result. ${why}`, ...more })

/** What it says of itself, where that is text. */
function excerptOf(body: Buffer): string {
  const text = body.toString('utf8').replace(/\s/g, ' ').trim()
  return text === '' || text.startsWith('<') ? '' : `: ${excerpt(text, 200)}`
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfter(value: string | undefined): { retryAfterMs?: number } {
  if (value === undefined) return {}
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return ms > 0 ? { retryAfterMs: ms } : {}
}
