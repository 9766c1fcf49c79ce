import type { Pool } from 'pg'
import { type ByteBudget, type ByteLease, DOCUMENT_MEMORY_FACTOR } from '../bytes/index.ts'
import { GalleyError, parseRetryAfter } from '../errors.ts'
import { pluralize, withoutTrailingSlash } from '../lib/text.ts'
import { isLongEnoughToRedact, redactVariantsInBytes, secretVariants } from '../log/secret-variants.ts'
import type { Outbound, OutboundResponse } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import { upstreamApiKeyIdentity } from '../sources/secrets.ts'
import { parseStatusAnswer, type UpstreamDocument, type WireDelivery } from './answer.ts'
import { isUpstreamTrouble, type UpstreamCode, type UpstreamRequest, upstreamFailure } from './failures.ts'
import {
  claimUpstreamState,
  clearUpstreamTrouble,
  pauseUpstream,
  type SourceId,
  type UpstreamState,
} from './health.ts'

/** Bytes of an answer at most, unpacked: as many as a webhook has in the standard setting. */
const MAX_UPSTREAM_ANSWER_BYTES = 10 * 1024 * 1024

const TIMEOUT_MS = 10_000
/** Until one is asked again whose key was changed meanwhile. */
const AFTER_CHANGE_MS = 1_000
/** Requests at once to the upstream of one source, from one process. */
const MAX_CONCURRENT_PER_SOURCE = 8

/** A document that is asked for. */
interface UpstreamQuery {
  source: SourceId
  documentId: string
  /** Where it is to go, as whoever named the document said. */
  delivery: WireDelivery
  /** For which the caller has room in memory. */
  maxBytes: number
}

/** Asks upstreams for documents. */
export interface UpstreamClient {
  /**
   * Does something when it is its turn: a few at once ask the upstream of one source. Who waits for that holds nothing, or
   * one that is slow would keep others from what they hold.
   */
  inTurn<Result>(source: SourceId, work: () => Promise<Result>): Promise<Result>
  /**
   * @returns the document, as a webhook would bring it
   * @throws GalleyError of {@link upstreamFailures}; `memory_busy`, `request_aborted`
   */
  ask(question: UpstreamQuery): Promise<UpstreamDocument>
}

interface UpstreamClientOptions {
  pool: Pool
  outbound: Outbound
  keyring: Keyring
  timing: { firstPauseMs: number }
}

/** The upstreams of all sources, as one process asks them: a few requests at once each, and none while one is in trouble. */
export function createUpstreamClient(needs: UpstreamClientOptions): UpstreamClient {
  const places = new KeyedSemaphore(MAX_CONCURRENT_PER_SOURCE)
  return {
    inTurn: (source, work) => places.in(source.id, work),
    ask: (question) => askUpstream(needs, question),
  }
}

async function askUpstream(needs: UpstreamClientOptions, question: UpstreamQuery): Promise<UpstreamDocument> {
  const { source, documentId } = question
  const upstream = await claimUpstreamState(needs.pool, source)
  const { name = '?', baseUrl = null } = upstream ?? {}
  const asked: UpstreamRequest = { sourceId: source.id, source: name, host: hostOf(baseUrl), documentId }
  if (upstream?.trouble && !upstream.probing)
    throw stillPausedFailure(asked, upstream.trouble, upstream.pausedMs)
  try {
    const answer = await requestStatus(needs, asked, upstream, question)
    if (upstream?.trouble) await clearUpstreamTrouble(needs.pool, source)
    return parseStatusAnswer(asked, requireDocumentBody(asked, answer, question.maxBytes), question.delivery)
  } catch (error) {
    if (!(error instanceof GalleyError && isUpstreamTrouble(error))) throw error
    const { firstPauseMs: firstMs } = needs.timing
    const trouble = { failure: error, probing: upstream?.probing ?? false, firstMs, askedWith: upstream }
    const pausedMs = await pauseUpstream(needs.pool, source, trouble)
    throw pausedMs === null ? changedMeanwhile(asked, error) : withRetryAfter(error, pausedMs)
  }
}

/** The whole answer of an upstream that works. @throws GalleyError where it does not */
async function requestStatus(
  { outbound, keyring }: UpstreamClientOptions,
  asked: UpstreamRequest,
  upstream: UpstreamState | null,
  { source, maxBytes }: UpstreamQuery,
): Promise<OutboundResponse> {
  const { baseUrl, apiKey } = upstream ?? {}
  if (!baseUrl || !apiKey)
    throw upstreamFailure(
      'upstream_refused',
      asked,
      'the source has no upstream_base_url with an upstream_api_key.',
    )
  try {
    const key = keyring.decrypt(apiKey, upstreamApiKeyIdentity(source.id), new URL(baseUrl).origin)
    const url = `${withoutTrailingSlash(baseUrl)}/document/status/${asked.documentId}`
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }
    // A key goes to the address that it was given for, and nowhere else.
    const answer = await outbound.request(url, {
      headers,
      maxBytes,
      timeoutMs: TIMEOUT_MS,
      redirects: 'none',
    })
    const code = upstreamCodeOfStatus(answer.status)
    if (code === undefined) return { ...answer, body: withoutKey(answer.body, key) }
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], Date.now())
    throw upstreamFailure(code, asked, `it answered ${answer.status}.`, { retryAfterMs })
  } catch (error) {
    throw asUpstreamFailure(asked, error)
  }
}

/** What was answered, without the key that was sent: it is kept, and becomes a post. */
const withoutKey = (body: Buffer, key: string): Buffer =>
  redactVariantsInBytes(body, secretVariants(key).filter(isLongEnoughToRedact))

/** What an HTTP status says of the upstream as a whole; undefined where it is about the document. */
function upstreamCodeOfStatus(status: number): UpstreamCode | undefined {
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'upstream_down'
  if (status === 401 || status === 402 || status === 403 || status === 407) return 'upstream_refused'
  return status >= 300 && status < 400 ? 'upstream_refused' : undefined
}

/** What is the site's or its owner's fault in an exchange with a site is the upstream's here. */
function asUpstreamFailure(asked: UpstreamRequest, error: unknown): unknown {
  if (!(error instanceof GalleyError) || isUpstreamTrouble(error)) return error
  const { code, fault, message } = error
  if (code === 'answer_too_big') return tooBig(asked, message, error)
  if (code === 'memory_busy' || code === 'request_aborted') return error
  const refused = fault === 'owner' || code === 'secret_key_missing' || code === 'secret_unreadable'
  return upstreamFailure(refused ? 'upstream_refused' : 'upstream_down', asked, message, { cause: error })
}

const tooBig = (asked: UpstreamRequest, seen: string, cause: unknown): GalleyError =>
  upstreamFailure('upstream_answer_too_big', asked, seen, { cause })

/** The body of an answer that has the document, or says how far it is. @throws GalleyError where it has none */
function requireDocumentBody(
  asked: UpstreamRequest,
  { status, body }: OutboundResponse,
  maxBytes: number,
): Buffer {
  if (status === 404 || status === 410)
    throw upstreamFailure('upstream_document_unknown', asked, `it answered ${status}.`)
  if (status !== 200) throw upstreamFailure('upstream_answer_unusable', asked, `it answered ${status}.`)
  if (body.length > maxBytes) throw tooBig(asked, pluralize(maxBytes, 'byte'), undefined)
  return body
}

/** What an upstream that is left alone was last heard to say. */
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

/** What failed was asked with what the source has no more, and says nothing about what it has now. */
const changedMeanwhile = (asked: UpstreamRequest, cause: GalleyError): GalleyError =>
  upstreamFailure('upstream_down', asked, 'its address or key was changed while it was asked.', {
    retryAfterMs: AFTER_CHANGE_MS,
    cause,
  })

const withRetryAfter = (failure: GalleyError, retryAfterMs: number): GalleyError =>
  new GalleyError({ ...failure, message: failure.message, cause: failure.cause, retryAfterMs })

const hostOf = (baseUrl: string | null): string => (baseUrl === null ? 'no address' : new URL(baseUrl).host)

/** Lets so many at once do something for each of many names; who comes when they are taken waits in line. */
class KeyedSemaphore {
  readonly #most: number
  readonly #lines = new Map<string, { busy: number; waiting: (() => void)[] }>()

  constructor(most: number) {
    this.#most = most
  }

  /** What `work` comes to, done when there is a place. */
  async in<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(name) ?? { busy: 0, waiting: [] }
    this.#lines.set(name, line)
    if (line.busy < this.#most) line.busy += 1
    else await new Promise<void>((resolve) => line.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.waiting.shift()
      // The place is handed on.
      if (next !== undefined) next()
      else if (--line.busy === 0) this.#lines.delete(name)
    }
  }
}

/** What nearly every document has less of. Room for more is only taken where an answer turns out to need it. */
const TYPICAL_ANSWER_BYTES = 256 * 1024

/** What the upstream says, and the room that it has in memory; whoever gets it releases that. */
export interface BudgetedDocument extends UpstreamDocument {
  room: ByteLease
}

/**
 * Asks an upstream for a document, once it is its turn and there is room in memory for the answer and what is made of it.
 *
 * @param expected bytes of the document, where something is known of it
 * @throws GalleyError as {@link UpstreamClient}; `memory_busy`
 */
export async function fetchWithinBudget(
  { budget, upstreams }: { budget: ByteBudget; upstreams: UpstreamClient },
  question: Omit<UpstreamQuery, 'maxBytes'>,
  expected = 0,
): Promise<BudgetedDocument> {
  const usual = Math.min(Math.max(2 * expected, TYPICAL_ANSWER_BYTES), MAX_UPSTREAM_ANSWER_BYTES)
  const ask = async (maxBytes: number): Promise<BudgetedDocument> => {
    const room = await budget.documents.take(maxBytes * DOCUMENT_MEMORY_FACTOR)
    try {
      const answered = await upstreams.ask({ ...question, maxBytes })
      room.shrink(answered.body.length * DOCUMENT_MEMORY_FACTOR)
      return { ...answered, room }
    } catch (error) {
      room.release()
      throw error
    }
  }
  return upstreams.inTurn(question.source, async () => {
    try {
      return await ask(usual)
    } catch (error) {
      const larger = error instanceof GalleyError && error.code === 'upstream_answer_too_big'
      if (!larger || usual === MAX_UPSTREAM_ANSWER_BYTES) throw error
      return ask(MAX_UPSTREAM_ANSWER_BYTES)
    }
  })
}
