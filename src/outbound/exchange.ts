import type { Dispatcher } from 'undici'
import type { ByteBudget, Share } from '../bytes/index.ts'
import { GalleyError } from '../errors.ts'
import { counted } from '../text.ts'
import { BodyTooBig, drain, type ReadBody, readBody, SMALL_ANSWER } from './body.ts'
import { type Clock, startClock } from './clock.ts'
import { decode, isPlain } from './decode.ts'
import { diagnose } from './diagnose.ts'
import { type Attempt, transportFailure } from './failure.ts'
import { type OpenAnswer, open } from './open.ts'
import { isFollowed } from './redirects.ts'
import type { OutboundRequest, OutboundResponse } from './types.ts'

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_BYTES = 1024 * 1024

/** One request and its whole answer, no redirects. */
export async function exchange(
  dispatcher: Dispatcher,
  budget: ByteBudget,
  url: URL,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  const { method = 'GET', timeoutMs = DEFAULT_TIMEOUT_MS, signal } = request
  const attempt = { url, method, sent: false }
  const over = new AbortController()
  const end = (failure: GalleyError) => over.abort(failure)
  const clock = startClock(timeoutMs, () =>
    end(transportFailure('site_timeout', `${timeoutMs / 1000} s`, attempt)),
  )
  const onAbort = () => end(transportFailure('request_aborted', 'aborted', attempt, signal?.reason))
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  try {
    const answer = await open(dispatcher, { request, attempt, timeoutMs, over: over.signal })
    if (request.headOnly) {
      drain(answer.stream)
      return { status: answer.status, headers: answer.headers, body: Buffer.alloc(0), url: url.href }
    }
    const lane = request.hold ? budget.files : budget.answers
    const room = (bytes: number) => takeRoom(lane, bytes, attempt, clock, over.signal)
    const { body, share } = await bodyOf(answer, request, attempt, room)
    const response = { status: answer.status, headers: answer.headers, body, url: url.href }
    if (request.hold) return { ...response, release: () => share?.release() }
    // What is not held is parsed at once, and dropped.
    share?.release()
    return response
  } finally {
    clock.stop()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Waits for bytes of the budget; the other side is not to blame for how long that takes. */
async function takeRoom(
  lane: ByteBudget['answers'],
  bytes: number,
  attempt: Attempt,
  clock: Clock,
  signal: AbortSignal,
): Promise<Share> {
  clock.stop()
  try {
    return await lane.take(bytes, { signal })
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'memory_busy')) throw error
    throw transportFailure('memory_busy', error.message, attempt, error)
  } finally {
    clock.go()
  }
}

async function bodyOf(
  { status, headers, stream }: OpenAnswer,
  request: OutboundRequest,
  attempt: Attempt,
  room: (bytes: number) => Promise<Share>,
): Promise<ReadBody> {
  const encoding = headers['content-encoding']
  const length = Number(headers['content-length'] ?? Number.NaN)
  const limits = limitsFor(request, status, headers)
  try {
    return await readBody(decode(stream, encoding), {
      ...limits,
      expected: isPlain(encoding) && Number.isSafeInteger(length) ? length : undefined,
      // The window of brotli alone may have 16 MB.
      costly: encoding?.toLowerCase() === 'br',
      room,
    })
  } catch (error) {
    if (error instanceof GalleyError) throw error
    if (error instanceof BodyTooBig)
      throw transportFailure('answer_too_big', bytes(limits.maxBytes), attempt, error)
    if (isPlain(encoding)) throw diagnose(error, attempt)
    throw transportFailure('answer_undecodable', encoding ?? 'unnamed', attempt, error)
  } finally {
    stream.destroy()
  }
}

/** How much of an answer is read. Of what is no answer to the request only as much as tells what it is. */
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
  const head = Math.min(maxBytes, SMALL_ANSWER)
  const isFile = hold || onBody !== undefined
  if (isFollowed({ method, redirects }, status, headers) || (isFile && status !== 200))
    return { maxBytes: head, overflow: 'cut', onBody: () => undefined }
  if (overflow === 'fail' && (status < 200 || status > 299))
    return { maxBytes: head, overflow: 'cut', onBody: undefined }
  return { maxBytes, overflow, onBody }
}

const bytes = (count: number): string => counted(count, 'byte')
