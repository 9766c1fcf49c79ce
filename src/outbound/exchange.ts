import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { ByteBudget, ByteLease } from '../bytes/budget.ts'
import { GalleyError } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import {
  BodyTooBig,
  decodeBody,
  drainBody,
  isIdentityEncoding,
  type ReadBody,
  readBody,
  UNBUDGETED_BODY_BYTES,
} from './body.ts'
import { displayAddress, parseTargetUrl } from './destination-policy.ts'
import { classifyTransportError, type TransportAttempt, transportFailure } from './failures.ts'
import type { OutboundRequest, OutboundResponse } from './outbound.ts'

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_BYTES = 1024 * 1024

/** Sends one request and reads its whole answer; follows no redirects. @throws GalleyError of `failures.ts` */
export async function exchange(
  dispatcher: Dispatcher,
  budget: ByteBudget,
  url: URL,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  const { method = 'GET', timeoutMs = DEFAULT_TIMEOUT_MS, signal } = request
  const attempt: TransportAttempt = { url, method, sent: false }
  const controller = new AbortController()
  const end = (failure: GalleyError) => controller.abort(failure)
  const timer = startPausableTimer(timeoutMs, () =>
    end(transportFailure('site_timeout', `${timeoutMs / 1000} s`, attempt)),
  )
  const onAbort = () => end(transportFailure('request_aborted', 'aborted', attempt, signal?.reason))
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  try {
    const answer = await openRequest(dispatcher, { request, attempt, timeoutMs, signal: controller.signal })
    if (request.headOnly) {
      drainBody(answer.stream)
      return { status: answer.status, headers: answer.headers, body: Buffer.alloc(0), url: url.href }
    }
    const lane = request.hold ? budget.files : budget.answers
    const room = (bytes: number) => acquireBytes(lane, bytes, attempt, timer, controller.signal)
    const { body, lease } = await readAnswerBody(answer, request, attempt, room)
    const response = { status: answer.status, headers: answer.headers, body, url: url.href }
    if (request.hold) return { ...response, release: () => lease?.release() }
    // The caller parses an answer without `hold` at once and drops it.
    lease?.release()
    return response
  } finally {
    timer.pause()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Waits for a lease. The request's timeout is paused: the site does not cause this wait. */
async function acquireBytes(
  lane: ByteBudget['answers'],
  bytes: number,
  attempt: TransportAttempt,
  timer: PausableTimer,
  signal: AbortSignal,
): Promise<ByteLease> {
  timer.pause()
  try {
    return await lane.take(bytes, { signal })
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'memory_busy')) throw error
    throw transportFailure('memory_busy', error.message, attempt, error)
  } finally {
    timer.resume()
  }
}

async function readAnswerBody(
  { status, headers, stream }: OpenResponse,
  request: OutboundRequest,
  attempt: TransportAttempt,
  room: (bytes: number) => Promise<ByteLease>,
): Promise<ReadBody> {
  const encoding = headers['content-encoding']
  const length = Number(headers['content-length'] ?? Number.NaN)
  const limits = limitsFor(request, status, headers)
  try {
    return await readBody(decodeBody(stream, encoding), {
      ...limits,
      expected: isIdentityEncoding(encoding) && Number.isSafeInteger(length) ? length : undefined,
      // Brotli's window alone may take 16 MB.
      costly: encoding?.toLowerCase() === 'br',
      room,
    })
  } catch (error) {
    if (error instanceof GalleyError) throw error
    if (error instanceof BodyTooBig)
      throw transportFailure('answer_too_big', bytes(limits.maxBytes), attempt, error)
    if (isIdentityEncoding(encoding)) throw classifyTransportError(error, attempt)
    throw transportFailure('answer_undecodable', encoding ?? 'unnamed', attempt, error)
  } finally {
    stream.destroy()
  }
}

/** How much of an answer is read. Of redirects and errors only the head, which tells what it is. */
function limitsFor(
  {
    method = 'GET',
    redirects,
    hold,
    onBody,
    maxBytes = DEFAULT_MAX_BYTES,
    overflow = 'fail',
  }: OutboundRequest,
  status: number,
  headers: Record<string, string>,
): Pick<Parameters<typeof readBody>[1], 'maxBytes' | 'overflow' | 'onBody'> {
  const head = Math.min(maxBytes, UNBUDGETED_BODY_BYTES)
  const isFile = hold || onBody !== undefined
  if (isFollowedRedirect({ method, redirects }, status, headers) || (isFile && status !== 200))
    return { maxBytes: head, overflow: 'cut', onBody: () => undefined }
  if (overflow === 'fail' && (status < 200 || status > 299))
    return { maxBytes: head, overflow: 'cut', onBody: undefined }
  return { maxBytes, overflow, onBody }
}

const bytes = (count: number): string => pluralize(count, 'byte')

/** An answer whose body is not read yet. The caller reads `stream` to its end or destroys it. */
type OpenResponse = Pick<OutboundResponse, 'status' | 'headers'> & { stream: Readable }

interface OpenOptions {
  request: OutboundRequest
  attempt: TransportAttempt
  timeoutMs: number
  /** Aborted with the error that ends the exchange. */
  signal: AbortSignal
}

const READ_AHEAD_BYTES = 64 * 1024

/** Sends a request; resolves with the answer's head. By `dispatch`: only its handler learns when sending begins. */
function openRequest(
  dispatcher: Dispatcher,
  { request, attempt, timeoutMs, signal }: OpenOptions,
): Promise<OpenResponse> {
  const { url, method } = attempt
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let stream: Readable | undefined
    let complete = false
    const fail = (error: Error) => {
      signal.removeEventListener('abort', onAbort)
      reject(error)
      stream?.destroy(error)
      if (!complete) controller?.abort(error)
    }
    const onAbort = () => fail(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        // The caller was told that nothing was sent.
        if (signal.aborted) return started.abort(signal.reason)
        try {
          request.beforeSend?.()
        } catch (error) {
          return fail(error as Error)
        }
        attempt.sent = true
      },
      onResponseStart(_, status, headers) {
        // Informational, such as 103 Early Hints.
        if (status < 200) return
        attempt.answered = true
        stream = new Readable({
          highWaterMark: READ_AHEAD_BYTES,
          read: () => controller?.resume(),
          destroy(error, done) {
            signal.removeEventListener('abort', onAbort)
            if (!complete) controller?.abort(error ?? new Error('not read to its end'))
            done(error)
          },
        })
        // The stream may fail before it has a reader, who gets the error later.
        stream.on('error', () => undefined)
        resolve({ status, headers: flatten(headers), stream })
      },
      onResponseData(started, chunk) {
        if (stream?.push(chunk) === false) started.pause()
      },
      onResponseEnd() {
        complete = true
        stream?.push(null)
      },
      onResponseError(_, error) {
        complete = true
        fail(classifyTransportError(error, attempt))
      },
    }
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: request.headers ?? {},
        // undici takes any iterable of bytes; its types name strings, buffers and streams.
        body: (request.body ?? null) as Buffer | null,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      },
      handler,
    )
  })
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

type PausableTimer = ReturnType<typeof startPausableTimer>

/** Starts a timer that calls `onTimeout` after `timeMs` milliseconds; after a pause it begins anew. */
function startPausableTimer(timeMs: number, onTimeout: () => void) {
  let timeout = setTimeout(onTimeout, timeMs)
  return {
    pause: () => clearTimeout(timeout),
    resume: () => {
      timeout = setTimeout(onTimeout, timeMs)
    },
  }
}

const MAX_HOPS = 10
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

type RedirectableRequest = OutboundRequest & { method: string; headers: Record<string, string> }

const isFollowedRedirect = (
  { method = 'GET', redirects }: OutboundRequest,
  status: number,
  headers: Record<string, string>,
): boolean =>
  redirects === 'follow' &&
  (method === 'GET' || method === 'HEAD') &&
  REDIRECT_STATUSES.has(status) &&
  headers.location !== undefined

/** Follows redirects of GET and HEAD, without credentials to another origin. @throws `too_many_redirects`, and of `send` */
export async function followRedirects(
  start: URL,
  request: RedirectableRequest,
  send: (url: URL, request: RedirectableRequest) => Promise<OutboundResponse>,
): Promise<OutboundResponse> {
  let url = start
  let hop = request
  for (let hops = 0; ; hops++) {
    const response = await send(url, hop)
    const location = response.headers.location
    if (location === undefined || !isFollowedRedirect(request, response.status, response.headers))
      return response
    if (hops === MAX_HOPS) {
      const attempt = { url: start, method: request.method, sent: true }
      throw transportFailure(
        'too_many_redirects',
        `${MAX_HOPS} redirects, the last to ${displayAddress(location)}`,
        attempt,
      )
    }
    const next = parseTargetUrl(
      URL.canParse(location, url.href) ? new URL(location, url) : location,
      hop.method,
    )
    if (next.origin !== url.origin) hop = { ...hop, headers: withoutCredentials(hop.headers) }
    url = next
  }
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  const { authorization: _, cookie: __, ...kept } = headers
  return kept
}
