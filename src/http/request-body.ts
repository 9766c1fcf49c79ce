import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { RequestHandler } from 'express'
import { BUSY_RETRY_AFTER_MS, type ByteLease, type Semaphore } from '../bytes/budget.ts'
import { LIMITS } from '../contract/limits.ts'
import { findLimitViolationInBody, isTooDeep } from '../contract/payload.ts'
import { type GalleyError, refusal, tryLater } from '../errors.ts'
import { parseJson } from '../lib/text.ts'
import { invalidRequest } from './endpoint.ts'
import { isResponseClosed, onResponseClosed } from './request-telemetry.ts'

/** A body, and the room that it takes, to be given back when nobody needs it any more. */
interface ReadBody {
  bytes: Buffer
  share: ByteLease
}

/** Bytes for which there must be room before anything is read; more is taken as more arrives. */
const INITIAL_RESERVATION_BYTES = 64 * 1024

/**
 * Reads a body as bytes, unpacked. Room is taken as they arrive: what a head merely announces keeps nobody else out.
 * @param limit most bytes, once unpacked
 * @throws GalleyError 413 `BODY_TOO_LARGE`, 415 `UNSUPPORTED_MEDIA_TYPE`, 400 `BODY_INCOMPLETE` or `BODY_UNDECODABLE`,
 *   503 `MEMORY_BUSY`. Then the rest is left unread.
 */
export async function readBody(request: IncomingMessage, limit: number, lane: Semaphore): Promise<ReadBody> {
  // It ended while its sender was looked up. No event follows, even where all of it had arrived.
  if (request.destroyed) throw incompleteBody()
  const length = lengthOf(request)
  if (length > limit) throw tooLarge(limit)
  const unpack = decompressorFor(request)
  const share = lane.tryTake(Math.min(INITIAL_RESERVATION_BYTES, Number.isNaN(length) ? limit : length))
  if (share === null) throw memoryBusyError()
  try {
    return { bytes: await collectBytes(request, unpack, limit, share), share }
  } catch (error) {
    share.release()
    throw error
  }
}

/** NaN where the head does not say. */
const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? Number.NaN)

const encodingOf = ({ headers }: IncomingMessage): string =>
  (headers['content-encoding'] ?? 'identity').trim().toLowerCase()

function decompressorFor(request: IncomingMessage): Transform | undefined {
  const encoding = encodingOf(request)
  if (encoding === 'identity' || encoding === '') return undefined
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  if (encoding === 'br') return createBrotliDecompress()
  throw unknownCompression()
}

/** Express's own readers take zstd where Node does (22.15 and newer): what is read must not depend on that. */
export const refuseZstd: RequestHandler = (request, _response, next) => {
  if (encodingOf(request) === 'zstd') throw unknownCompression()
  next()
}

function collectBytes(
  request: IncomingMessage,
  unpack: Transform | undefined,
  limit: number,
  share: ByteLease,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One buffer that grows, and no list of pieces: a body may come byte by byte, and each piece costs a hundred.
    let held: Buffer | undefined
    let size = 0
    const stream: Readable = unpack ?? request
    const announced = unpack === undefined ? lengthOf(request) : Number.NaN
    const end = () => {
      request.removeListener('close', onClose)
      stream.removeListener('data', onData)
      if (unpack !== undefined) request.unpipe(unpack)
    }
    const stop = (error: Error) => {
      end()
      unpack?.destroy()
      request.pause()
      reject(error)
    }
    // All may have arrived, and not been read: `complete` says nothing of that.
    const onClose = () => request.readableEnded || stop(incompleteBody())
    const onData = (chunk: Buffer) => {
      const before = size
      size += chunk.length
      if (size > limit) return stop(tooLarge(limit))
      // Most come in one piece, which is as good a buffer as any.
      if (held === undefined && size === announced) {
        held = chunk
        return
      }
      held ??= Buffer.allocUnsafe(share.bytes)
      if (size > held.length) {
        const wanted = Math.max(size, Math.min(2 * held.length, limit))
        if (wanted > share.bytes && !share.tryGrow(wanted - share.bytes)) return stop(memoryBusyError())
        const larger = Buffer.allocUnsafeSlow(wanted)
        held.copy(larger, 0, 0, before)
        held = larger
      }
      chunk.copy(held, before)
    }
    stream.on('data', onData)
    stream.once('end', () => {
      end()
      // Bytes behind a compressed body would keep the next request of its connection from being read.
      request.resume()
      resolve(held?.subarray(0, size) ?? Buffer.alloc(0))
    })
    // Of the request: broken off. Of zlib: not compressed as it says.
    request.once('error', () => stop(incompleteBody()))
    request.once('close', onClose)
    unpack?.once('error', () => stop(undecodableBody()))
    if (unpack !== undefined) request.pipe(unpack)
  })
}

const incompleteBody = () =>
  refusal(
    'BODY_INCOMPLETE',
    'The connection closed before the whole body arrived. Send the request again.',
    400,
  )

const tooLarge = (limit: number) =>
  refusal('BODY_TOO_LARGE', `The body is larger than this call accepts. The most is ${limit} bytes.`, 413)

const undecodableBody = () =>
  refusal(
    'BODY_UNDECODABLE',
    'The body is not compressed as its Content-Encoding says, or not whole. Send it again, or plain.',
    400,
  )

const unknownCompression = () =>
  refusal(
    'UNSUPPORTED_MEDIA_TYPE',
    'The body is compressed in a way Galley does not read. Send it plain, or as gzip, deflate or br.',
    415,
  )

const unknownCharset = () =>
  refusal(
    'UNSUPPORTED_MEDIA_TYPE',
    'The body is in a character set Galley does not read. Send it as UTF-8.',
    415,
  )

const malformedJson = () =>
  refusal(
    'MALFORMED_JSON',
    'The body is not JSON. Check its quotes, commas and brackets; send it as UTF-8.',
    400,
  )

/** Makes of a body's bytes what the endpoint gets; `charset` as the head of the request names it. */
type BodyParser = (bytes: Buffer, charset: string) => unknown

/** Reads and parses a body; takes room as it arrives, so that an announced length keeps nobody else out. */
export const parseBody =
  (lane: Semaphore, limit: number, parse: BodyParser): RequestHandler =>
  async (request, response, next) => {
    if (!hasBody(request)) return next()
    const { bytes, share } = await readBody(request, limit, lane)
    onResponseClosed(response, () => share.release())
    // Its sender left while it was unpacked.
    if (isResponseClosed(response)) throw incompleteBody()
    request.body = parse(bytes, charsetOf(request.headers['content-type']))
    next()
  }

/** A request without a type has no body here: a body without a type was refused before. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-type'] !== undefined &&
  (headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined)

const charsetOf = (contentType = ''): string =>
  /;\s*charset="?([\w-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'

/**
 * An object or an array; nothing counts as an empty object. What holds too many values is refused before it is parsed,
 * which makes thirty bytes of one; what is too deep before anything walks it.
 * @throws LimitError; GalleyError 422 `INVALID_REQUEST`, 400 `MALFORMED_JSON`, 415 `UNSUPPORTED_MEDIA_TYPE`
 */
export const parseJsonBody: BodyParser = (bytes, charset) => {
  const decoder = decoderOf(charset)
  if (!decoder.encoding.startsWith('utf-')) throw unknownCharset()
  if (bytes.length === 0) return {}
  const text = decoder.decode(bytes)
  // In UTF-16, half of another character looks like a quotation mark, behind which nothing would be counted.
  const excess = findLimitViolationInBody(decoder.encoding === 'utf-8' ? bytes : Buffer.from(text))
  if (excess) throw excess
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) throw malformedJson()
  if (isTooDeep(value)) throw invalidRequest([{ path: 'body', message: TOO_DEEP_MESSAGE }])
  return value
}

const TOO_DEEP_MESSAGE = `is nested too deeply: at most ${LIMITS.jsonDepth} levels of objects and arrays`

/** Text in any character set that browsers know: spreadsheets save theirs in many. */
export const parseTextBody = (bytes: Buffer, charset: string): string => decoderOf(charset).decode(bytes)

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset)
  } catch {
    throw unknownCharset()
  }
}

const memoryBusyError = (): GalleyError =>
  tryLater(
    'MEMORY_BUSY',
    'Galley is handling as much data as its memory limit allows, and did not accept this request. Send it again in a moment; if this keeps happening, its operator can raise GALLEY_BYTES_IN_FLIGHT.',
    { retryAfterMs: BUSY_RETRY_AFTER_MS },
  )

/** Milliseconds that a person, or a program, who reads whole texts waits for room. */
export const MEMORY_WAIT_MS = 5_000

/** The same in the description of an operation that holds whole files. */
export const MEMORY_BUSY_DESCRIPTION =
  'MEMORY_BUSY: this process is handling as much data as its memory limit allows. Try again in a moment.'
