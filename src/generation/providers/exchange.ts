import { GalleyError } from '../../errors.ts'
import { GenerationError } from '../failure.ts'
import { type Access, called } from './access.ts'
import { withoutKey } from './keep-secret.ts'
import { refusal } from './refusal.ts'
import type { CallContext } from './types.ts'

/** A question to a provider. */
export interface Question {
  /** Below the provider's address, with its slash. */
  path: string
  method?: 'GET' | 'POST'
  body?: string
  /** Beside the content type and the idempotency key; the key of the provider among them. */
  headers?: Record<string, string>
  /** Bytes of an answer that are read at most. */
  maxBytes: number
  timeoutMs: number
}

/** What a provider answered with a 2xx, whole. */
export interface Answered {
  status: number
  contentType: string
  body: Buffer
}

/**
 * Asks a provider once, through the guard, and follows nothing: a redirect would carry its key elsewhere.
 *
 * @throws GenerationError for anything but a 2xx that is no web page
 */
export async function exchange(access: Access, question: Question, context: CallContext): Promise<Answered> {
  const { path, method = 'POST', body, headers, maxBytes, timeoutMs } = question
  const { outbound, url } = access
  const asked = {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': context.idempotencyKey,
      ...headers,
    },
    body: body ?? null,
    maxBytes,
    timeoutMs: access.timeoutMs ?? timeoutMs,
    signal: context.signal,
  }
  const answer = await outbound.request(`${url}${path}`, asked).catch((error: unknown) => {
    throw unanswered(access, error, context)
  })
  const text = () => withoutKey(answer.body.toString('utf8'), access)
  if (answer.status < 200 || answer.status > 299)
    throw refusal(access, { status: answer.status, headers: answer.headers, body: text() })
  const contentType = answer.headers['content-type'] ?? ''
  if (isWebPage(contentType, answer.body)) throw webPage(access)
  return { status: answer.status, contentType, body: answer.body }
}

/** What follows where no answer came: something may have been made where the request had left. */
function unanswered(access: Access, error: unknown, { signal }: CallContext): unknown {
  // Who aborted knows, and it is nobody's failure; nor is it this one's that Galley has no memory for its answer.
  if (signal.aborted || !(error instanceof GalleyError) || error.code === 'memory_busy') return error
  const made = error.action === 'ambiguous'
  if (error.code === 'answer_too_big')
    return new GenerationError({
      reason: 'INVALID_OUTPUT',
      of: 'job',
      made,
      message: `${called(access)} answered with more than Galley reads, so it stopped reading.`,
      cause: error,
    })
  const settings = error.action === 'owner' ? ` Galley’s operator can correct ${access.settings.url}.` : ''
  return new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    made,
    message: `${called(access)} cannot be asked. ${error.message}${settings}`,
    ...(error.action === 'owner' ? { action: 'owner' as const } : {}),
    cause: error,
  })
}

/** A login page, a parked domain, a front end: whatever it is, it is not the API. */
const isWebPage = (contentType: string, body: Buffer): boolean =>
  /^\s*text\/html/i.test(contentType) || /^\s*<(!doctype html|html)/i.test(body.toString('latin1', 0, 200))

const webPage = (access: Access): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    action: 'owner',
    message: `${called(access)} answered with a web page, so its address is not that of an API. Galley’s operator can correct ${access.settings.url}; many such addresses end in /v1.`,
  })

/** An answer that says it went well and cannot be read as one of this API. It may have been charged for. */
export const unreadable = (access: Pick<Access, 'name' | 'model'>, why: string): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    made: true,
    message: `${called(access)} answered with what is not an answer of its API: ${why}.`,
  })
