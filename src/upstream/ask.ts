import type { Pool } from 'pg'
import { bytesWithoutEchoes, echoesOf, isRevealing } from '../echo.ts'
import { GalleyError } from '../errors.ts'
import type { Outbound, OutboundResponse } from '../outbound/index.ts'
import { parseRetryAfter } from '../retry-after.ts'
import type { Keyring } from '../secrets/index.ts'
import { upstreamApiKeyIdentity } from '../sources/secrets.ts'
import { counted, withoutSlash } from '../text.ts'
import { type Answered, readAnswer, type WireDelivery } from './answer.ts'
import { type Asked, isOfUpstream, type UpstreamCode, upstreamFailure } from './failures.ts'
import { pauseUpstream, readUpstream, type SourceId, type Upstream, upstreamServed } from './health.ts'
import { Places } from './places.ts'

/** Bytes of an answer at most, unpacked: as many as a webhook has in the standard setting. */
export const ANSWER_BYTES = 10 * 1024 * 1024

const TIMEOUT_MS = 10_000
/** Until one is asked again whose key was changed meanwhile. */
const AFTER_CHANGE_MS = 1_000
/** Requests at once to the upstream of one source, from one process. */
const AT_ONCE = 8

/** A document that is asked for. */
export interface Question {
  source: SourceId
  documentId: string
  /** Where it is to go, as whoever named the document said. */
  delivery: WireDelivery
  /** For which the caller has room in memory. */
  maxBytes: number
}

/** Asks upstreams for documents. */
export interface Upstreams {
  /**
   * Does something when it is its turn: a few at once ask the upstream of one source. Who waits for that holds nothing, or
   * one that is slow would keep others from what they hold.
   */
  inTurn<Result>(source: SourceId, work: () => Promise<Result>): Promise<Result>
  /**
   * @returns the document, as a webhook would bring it
   * @throws GalleyError of {@link upstreamFailures}; `memory_busy`, `request_aborted`
   */
  ask(question: Question): Promise<Answered>
}

interface Needs {
  pool: Pool
  outbound: Outbound
  keyring: Keyring
  timing: { firstPauseMs: number }
}

/** The upstreams of all sources, as one process asks them: a few requests at once each, and none while one is in trouble. */
export function createUpstreams(needs: Needs): Upstreams {
  const places = new Places(AT_ONCE)
  return {
    inTurn: (source, work) => places.in(source.id, work),
    ask: (question) => ask(needs, question),
  }
}

async function ask(needs: Needs, question: Question): Promise<Answered> {
  const { source, documentId } = question
  const upstream = await readUpstream(needs.pool, source)
  const { name = '?', baseUrl = null } = upstream ?? {}
  const asked: Asked = { sourceId: source.id, source: name, host: hostOf(baseUrl), documentId }
  if (upstream?.trouble && !upstream.probing) throw asBefore(asked, upstream.trouble, upstream.pausedMs)
  try {
    const answer = await request(needs, asked, upstream, question)
    if (upstream?.trouble) await upstreamServed(needs.pool, source)
    return readAnswer(asked, accepted(asked, answer, question.maxBytes), question.delivery)
  } catch (error) {
    if (!(error instanceof GalleyError && isOfUpstream(error))) throw error
    const { firstPauseMs: firstMs } = needs.timing
    const trouble = { failure: error, probing: upstream?.probing ?? false, firstMs, askedWith: upstream }
    const pausedMs = await pauseUpstream(needs.pool, source, trouble)
    throw pausedMs === null ? changedMeanwhile(asked, error) : waiting(error, pausedMs)
  }
}

/** The whole answer of an upstream that works. @throws GalleyError where it does not */
async function request(
  { outbound, keyring }: Needs,
  asked: Asked,
  upstream: Upstream | null,
  { source, maxBytes }: Question,
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
    const url = `${withoutSlash(baseUrl)}/document/status/${asked.documentId}`
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }
    // A key goes to the address that it was given for, and nowhere else.
    const answer = await outbound.request(url, {
      headers,
      maxBytes,
      timeoutMs: TIMEOUT_MS,
      redirects: 'none',
    })
    const code = troubleOf(answer.status)
    if (code === undefined) return { ...answer, body: withoutKey(answer.body, key) }
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], Date.now())
    throw upstreamFailure(code, asked, `it answered ${answer.status}.`, { retryAfterMs })
  } catch (error) {
    throw inUpstreamsWords(asked, error)
  }
}

/** What was answered, without the key that was sent: it is kept, and becomes a post. */
const withoutKey = (body: Buffer, key: string): Buffer =>
  bytesWithoutEchoes(body, echoesOf(key).filter(isRevealing))

/** What an HTTP status says of the upstream as a whole; undefined where it is about the document. */
function troubleOf(status: number): UpstreamCode | undefined {
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'upstream_down'
  if (status === 401 || status === 402 || status === 403 || status === 407) return 'upstream_refused'
  return status >= 300 && status < 400 ? 'upstream_refused' : undefined
}

/** What is the site's or its owner's fault in an exchange with a site is the upstream's here. */
function inUpstreamsWords(asked: Asked, error: unknown): unknown {
  if (!(error instanceof GalleyError) || isOfUpstream(error)) return error
  const { code, fault, message } = error
  if (code === 'answer_too_big') return tooBig(asked, message, error)
  if (code === 'memory_busy' || code === 'request_aborted') return error
  const refused = fault === 'owner' || code === 'secret_key_missing' || code === 'secret_unreadable'
  return upstreamFailure(refused ? 'upstream_refused' : 'upstream_down', asked, message, { cause: error })
}

const tooBig = (asked: Asked, seen: string, cause: unknown): GalleyError =>
  upstreamFailure('upstream_answer_too_big', asked, seen, { cause })

/** The body of an answer that has the document, or says how far it is. @throws GalleyError where it has none */
function accepted(asked: Asked, { status, body }: OutboundResponse, maxBytes: number): Buffer {
  if (status === 404 || status === 410)
    throw upstreamFailure('upstream_document_unknown', asked, `it answered ${status}.`)
  if (status !== 200) throw upstreamFailure('upstream_answer_unusable', asked, `it answered ${status}.`)
  if (body.length > maxBytes) throw tooBig(asked, counted(maxBytes, 'byte'), undefined)
  return body
}

/** What an upstream that is left alone was last heard to say. */
function asBefore(asked: Asked, trouble: { code: string; message: string }, pausedMs: number): GalleyError {
  if (trouble.code === 'upstream_refused')
    return upstreamFailure('upstream_refused', asked, 'it has refused to answer within the last minute.')
  const seconds = counted(Math.ceil(pausedMs / 1000), 'second')
  const seen = `it is in trouble, and is left alone for another ${seconds}.`
  return upstreamFailure('upstream_down', asked, seen, { retryAfterMs: pausedMs })
}

/** What failed was asked with what the source has no more, and says nothing about what it has now. */
const changedMeanwhile = (asked: Asked, cause: GalleyError): GalleyError =>
  upstreamFailure('upstream_down', asked, 'its address or key was changed while it was asked.', {
    retryAfterMs: AFTER_CHANGE_MS,
    cause,
  })

const waiting = (failure: GalleyError, retryAfterMs: number): GalleyError =>
  new GalleyError({ ...failure, message: failure.message, cause: failure.cause, retryAfterMs })

const hostOf = (baseUrl: string | null): string => (baseUrl === null ? 'no address' : new URL(baseUrl).host)
