import type { Pool } from 'pg'
import { type ByteBudget, type ByteLease, DOCUMENT_MEMORY_FACTOR, Semaphore } from '../bytes/budget.ts'
import { GalleyError, isInterrupted, parseRetryAfter } from '../errors.ts'
import { pluralize, withoutTrailingSlash } from '../lib/text.ts'
import { redactSecret } from '../log/redact.ts'
import type { Outbound, OutboundResponse } from '../outbound/outbound.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { upstreamApiKeyIdentity } from '../sources/secrets.ts'
import type { SourceId } from '../sources/sources.ts'
import { parseStatusAnswer, type UpstreamDocument, type WireDelivery } from './answer.ts'
import { isUpstreamTrouble, type UpstreamCode, type UpstreamRequest, upstreamFailure } from './failures.ts'
import { clearUpstreamTrouble, pauseUpstream, readUpstreamState, type UpstreamState } from './health.ts'

/** Decoded bytes; the default limit of a webhook. */
const MAX_UPSTREAM_ANSWER_BYTES = 10 * 1024 * 1024

const TIMEOUT_MS = 10_000
/** Delay of the next request after the key was changed during one. */
const AFTER_CHANGE_MS = 1_000
/** Per process. */
const MAX_CONCURRENT_PER_SOURCE = 8

interface UpstreamQuestion {
  source: SourceId
  /** As the upstream calls it. */
  documentId: string
  /** Of the webhook or request that named the document. */
  delivery: WireDelivery
  /** Bytes of the document, where known. */
  expected?: number
}

type UpstreamQuery = UpstreamQuestion & { maxBytes: number }

/** A document and its lease, which the caller releases. */
export interface BudgetedDocument extends UpstreamDocument {
  room: ByteLease
}

/** Callers hold no bytes meanwhile: others need them. @throws GalleyError of {@link upstreamFailures}; `memory_busy`, `request_aborted` */
export type AskUpstream = (question: UpstreamQuestion) => Promise<BudgetedDocument>

interface UpstreamOptions {
  pool: Pool
  outbound: Outbound
  keyring: Keyring
  budget: ByteBudget
  timing: { firstPauseMs: number }
}

/** Limits concurrent requests per source, and sends none to an upstream that is paused. */
export function createUpstreamClient(needs: UpstreamOptions): AskUpstream {
  const places = new Map<string, Semaphore>()
  return async (question) => {
    const { id } = question.source
    const ofSource = places.get(id) ?? new Semaphore(MAX_CONCURRENT_PER_SOURCE)
    places.set(id, ofSource)
    const place = await ofSource.take(1)
    try {
      return await askWithinBudget(needs, question)
    } finally {
      place.release()
    }
  }
}

/** Nearly every document is smaller. A larger lease is taken only where an answer needs it. */
const TYPICAL_ANSWER_BYTES = 256 * 1024

async function askWithinBudget(needs: UpstreamOptions, question: UpstreamQuestion) {
  const { expected = 0 } = question
  const usual = Math.min(Math.max(2 * expected, TYPICAL_ANSWER_BYTES), MAX_UPSTREAM_ANSWER_BYTES)
  const ask = async (maxBytes: number): Promise<BudgetedDocument> => {
    const room = await needs.budget.documents.take(maxBytes * DOCUMENT_MEMORY_FACTOR)
    try {
      const answered = await askUpstream(needs, { ...question, maxBytes })
      room.shrink(answered.body.length * DOCUMENT_MEMORY_FACTOR)
      return { ...answered, room }
    } catch (error) {
      room.release()
      throw error
    }
  }
  try {
    return await ask(usual)
  } catch (error) {
    const larger = error instanceof GalleyError && error.code === 'upstream_answer_too_big'
    if (!larger || usual === MAX_UPSTREAM_ANSWER_BYTES) throw error
    return ask(MAX_UPSTREAM_ANSWER_BYTES)
  }
}

async function askUpstream(needs: UpstreamOptions, question: UpstreamQuery): Promise<UpstreamDocument> {
  const { source, documentId } = question
  const upstream = await readUpstreamState(needs.pool, source)
  const { name = '?', baseUrl = null } = upstream ?? {}
  const host = baseUrl === null ? 'no address' : new URL(baseUrl).host
  const asked: UpstreamRequest = { source: name, host, documentId }
  if (upstream?.trouble) throw stillPausedFailure(asked, upstream.trouble, upstream.pausedMs)
  try {
    const { answer, key } = await requestStatus(needs, asked, upstream, question)
    if (upstream?.failed) await clearUpstreamTrouble(needs.pool, source)
    const body = requireDocumentBody(asked, answer)
    return parseStatusAnswer(asked, body, question.delivery, (quoted) => redactSecret(quoted, key))
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    if (!isUpstreamTrouble(error)) throw error
    const pausedMs = await pauseUpstream(needs.pool, source, error, upstream, needs.timing.firstPauseMs)
    throw pausedMs === null ? changedMeanwhile(asked, error) : withRetryAfter(error, pausedMs)
  }
}

/** @throws GalleyError where the upstream does not work; it quotes nothing of the answer */
async function requestStatus(
  { outbound, keyring }: UpstreamOptions,
  asked: UpstreamRequest,
  upstream: UpstreamState | null,
  { source, maxBytes }: UpstreamQuery,
): Promise<{ answer: OutboundResponse; key: string }> {
  const { baseUrl, apiKey } = upstream ?? {}
  if (!baseUrl || !apiKey)
    throw upstreamFailure(
      'upstream_refused',
      asked,
      'the source has no upstream_base_url with an upstream_api_key.',
    )
  try {
    const key = keyring.decrypt(apiKey, upstreamApiKeyIdentity(source.id), new URL(baseUrl).origin)
    const url = `${withoutTrailingSlash(baseUrl)}/document/status/${encodeURIComponent(asked.documentId)}`
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }
    // The key must not be sent to another address.
    const answer = await outbound.request(url, {
      headers,
      maxBytes,
      timeoutMs: TIMEOUT_MS,
      redirects: 'none',
    })
    const code = upstreamCodeOfStatus(answer.status)
    if (code === undefined) return { answer, key }
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], Date.now())
    throw upstreamFailure(code, asked, `it answered ${answer.status}.`, { retryAfterMs })
  } catch (error) {
    throw asUpstreamFailure(asked, error)
  }
}

/** The failure of the upstream as a whole; undefined for a status about the document. */
function upstreamCodeOfStatus(status: number): UpstreamCode | undefined {
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'upstream_down'
  if (status === 401 || status === 402 || status === 403 || status === 407) return 'upstream_refused'
  return status >= 300 && status < 400 ? 'upstream_refused' : undefined
}

/** Maps failures that blame a site or its owner to those of the upstream. */
function asUpstreamFailure(asked: UpstreamRequest, error: unknown): unknown {
  if (!(error instanceof GalleyError) || isUpstreamTrouble(error) || isInterrupted(error)) return error
  const { code, fault, message } = error
  if (code === 'answer_too_big')
    return upstreamFailure('upstream_answer_too_big', asked, message, { cause: error })
  const refused = fault === 'owner' || code === 'secret_key_missing' || code === 'secret_unreadable'
  return upstreamFailure(refused ? 'upstream_refused' : 'upstream_down', asked, message, { cause: error })
}

/** @throws GalleyError for an answer without a document or status */
function requireDocumentBody(asked: UpstreamRequest, { status, body }: OutboundResponse): Buffer {
  if (status === 404 || status === 410)
    throw upstreamFailure('upstream_document_unknown', asked, `it answered ${status}.`)
  if (status !== 200) throw upstreamFailure('upstream_answer_unusable', asked, `it answered ${status}.`)
  return body
}

/** The failure of a request that is not sent because the upstream is paused. */
function stillPausedFailure(
  asked: UpstreamRequest,
  trouble: { code: string; message: string },
  pausedMs: number,
): GalleyError {
  if (trouble.code === 'upstream_refused')
    return upstreamFailure('upstream_refused', asked, 'it has refused to answer within the last minute.')
  const seconds = pluralize(Math.ceil(pausedMs / 1000), 'second')
  const seen = `it is in trouble, and is left alone for another ${seconds}.`
  return upstreamFailure('upstream_down', asked, seen, { retryAfterMs: pausedMs })
}

/** The failed request used an address or key that the source no longer has. */
const changedMeanwhile = (asked: UpstreamRequest, cause: GalleyError): GalleyError =>
  upstreamFailure('upstream_down', asked, 'its address or key was changed while it was asked.', {
    retryAfterMs: AFTER_CHANGE_MS,
    cause,
  })

const withRetryAfter = (failure: GalleyError, retryAfterMs: number): GalleyError =>
  new GalleyError({ ...failure, message: failure.message, cause: failure.cause, retryAfterMs })
