import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { RequestHandler } from 'express'
import type { Lane, Share } from '../bytes/index.ts'
import { noRoom } from './room.ts'

/** A body, and the room that it takes, to be given back when nobody needs it any more. */
export interface Body {
  bytes: Buffer
  share: Share
}

/** Bytes for which there must be room before anything is read; more is taken as more arrives. */
const FIRST_BYTES = 64 * 1024

/**
 * Reads a body as bytes, unpacked. Room is taken as they arrive, twice as much each time: what a head merely announces
 * keeps nobody else out.
 *
 * @param limit most bytes, once unpacked
 * @throws Error with a `type` as body-parser names it: `entity.too.large`, `encoding.unsupported`, `request.aborted`;
 *   with status 400 where it is not compressed as it says; GalleyError 503 `MEMORY_BUSY`. Then the rest is left unread.
 */
export async function readBody(request: IncomingMessage, limit: number, lane: Lane): Promise<Body> {
  // It ended while its sender was looked up: no event will tell of it any more, even where all of it had arrived.
  if (request.destroyed) throw failure('request.aborted')
  const length = lengthOf(request)
  if (length > limit) throw tooLarge(limit)
  const unpack = unpackerOf(request)
  const share = lane.tryTake(Math.min(FIRST_BYTES, Number.isNaN(length) ? limit : length))
  if (share === null) throw noRoom()
  try {
    return { bytes: await collect(request, unpack, limit, share), share }
  } catch (error) {
    share.release()
    throw error
  }
}

/** NaN where the head does not say. */
const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? Number.NaN)

const encodingOf = ({ headers }: IncomingMessage): string =>
  (headers['content-encoding'] ?? 'identity').trim().toLowerCase()

function unpackerOf(request: IncomingMessage): Transform | undefined {
  const encoding = encodingOf(request)
  if (encoding === 'identity' || encoding === '') return undefined
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  if (encoding === 'br') return createBrotliDecompress()
  throw failure('encoding.unsupported')
}

/** Express's own readers take zstd where Node does (22.15 and newer): what is read must not depend on that. */
export const withoutZstd: RequestHandler = (request, _response, next) => {
  if (encodingOf(request) === 'zstd') throw failure('encoding.unsupported')
  next()
}

function collect(
  request: IncomingMessage,
  unpack: Transform | undefined,
  limit: number,
  share: Share,
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
    const onClose = () => request.readableEnded || stop(failure('request.aborted'))
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
        if (wanted > share.bytes && !share.tryGrow(wanted - share.bytes)) return stop(noRoom())
        const larger = Buffer.allocUnsafeSlow(wanted)
        held.copy(larger, 0, 0, before)
        held = larger
      }
      chunk.copy(held, before)
    }
    stream.on('data', onData)
    stream.once('end', () => {
      end()
      resolve(held?.subarray(0, size) ?? Buffer.alloc(0))
    })
    // Of the request: broken off. Of zlib: not compressed as it says.
    request.once('error', () => stop(failure('request.aborted')))
    request.once('close', onClose)
    unpack?.once('error', (error) => stop(Object.assign(error, { status: 400 })))
    if (unpack !== undefined) request.pipe(unpack)
  })
}

/** A failure as body-parser names it. */
export const failure = (type: string, facts: object = {}): Error =>
  Object.assign(new Error(type), { type, ...facts })

const tooLarge = (limit: number): Error => failure('entity.too.large', { limit })
