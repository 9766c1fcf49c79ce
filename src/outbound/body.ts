import { pipeline, type Readable } from 'node:stream'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib'
import type { ByteLease } from '../bytes/index.ts'

/** Bytes of an answer that are read without asking the budget: most answers have no more. */
export const UNBUDGETED_BODY_BYTES = 64 * 1024

/** A body may come byte by byte, and each piece costs a hundred. */
const COMPACT_AFTER_CHUNKS = 16

/** A body that has more bytes than it may. */
export class BodyTooBig extends Error {}

interface BodyReadOptions {
  /** Bytes, decoded. */
  maxBytes: number
  /** What happens to a body with more: it fails, or is read no further. */
  overflow: 'fail' | 'cut'
  /** Bytes to come, where that is known. */
  expected: number | undefined
  /** Whether reading takes memory besides what is read, so that the budget is asked at once. */
  costly: boolean
  /** Waits for room in the budget. */
  room: (bytes: number) => Promise<ByteLease>
  /** Gets the bytes as they come, instead of their being kept. */
  onBody: ((chunk: Buffer) => void) | undefined
}

/** A body that was read, and what it holds of the budget; undefined where it is small or was not kept. */
export interface ReadBody {
  body: Buffer
  share: ByteLease | undefined
}

/**
 * Reads a body into one buffer. What has more than a few bytes waits for its share of the budget before more of it is
 * read: as many bytes as it says to have, or else as many as it may.
 *
 * @throws BodyTooBig
 */
export async function readBody(stream: AsyncIterable<Buffer>, reading: BodyReadOptions): Promise<ReadBody> {
  const { maxBytes, overflow, expected, costly, room, onBody } = reading
  let share: ByteLease | undefined
  let held: Buffer | undefined
  let pieces: Buffer[] = []
  let length = 0
  /** Goes on in one buffer: it is not touched, and so not in memory, before it is filled. */
  const holdIn = (bytes: number) => {
    const before = held?.subarray(0, length) ?? Buffer.concat(pieces, length)
    held = Buffer.allocUnsafeSlow(bytes)
    before.copy(held)
    pieces = []
  }
  const grow = async (bytes: number) => {
    share = await room(bytes)
    holdIn(bytes)
  }
  try {
    const coming = Math.min(expected ?? 0, maxBytes)
    if (expected !== undefined && expected > maxBytes && overflow === 'fail') throw new BodyTooBig()
    if (onBody === undefined && (costly || coming > UNBUDGETED_BODY_BYTES))
      await grow(costly ? maxBytes : coming)
    for await (const chunk of stream) {
      const kept = chunk.subarray(0, maxBytes - length)
      if (kept.length < chunk.length && overflow === 'fail') throw new BodyTooBig()
      if (onBody !== undefined) onBody(kept)
      else {
        if (share === undefined && length + kept.length > UNBUDGETED_BODY_BYTES) await grow(maxBytes)
        else if (pieces.length === COMPACT_AFTER_CHUNKS) holdIn(UNBUDGETED_BODY_BYTES)
        if (held === undefined) pieces.push(kept)
        else kept.copy(held, length)
      }
      length += kept.length
      if (length === maxBytes && overflow === 'cut') break
    }
  } catch (error) {
    share?.release()
    throw error
  }
  if (onBody !== undefined) return { body: Buffer.alloc(0), share }
  share?.shrink(length)
  if (held === undefined) return { body: Buffer.concat(pieces, length), share }
  // A short body must not keep alive the room that a long one would have needed.
  const whole = held.subarray(0, length)
  return { body: length < held.length / 2 ? Buffer.from(whole) : whole, share }
}

/** Bytes, and milliseconds, of a body that nobody wants, beyond which its connection is given up. */
const DRAIN_LIMITS = { bytes: 16 * 1024, ms: 1_000 }

/** Lets a body that nobody wants come to its end, where that is near: its connection can be used again then. */
export function drainBody(stream: Readable): void {
  let left = DRAIN_LIMITS.bytes
  const end = setTimeout(() => stream.destroy(), DRAIN_LIMITS.ms).unref()
  stream.on('close', () => clearTimeout(end))
  stream.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) stream.destroy()
  })
}

const decoders = new Map<string, () => Gunzip | Inflate | BrotliDecompress>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** No encodings: `none` keeps a server from compressing, as PHP is told to end an answer early; some name a charset here. */
const IDENTITY_NAMES: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8'])

/** Whether a body is as long as it was sent. */
export const isIdentityEncoding = (encoding = ''): boolean =>
  IDENTITY_NAMES.has(encoding.trim().toLowerCase())

/**
 * Undoes `Content-Encoding`, piece by piece: a few kilobytes may become gigabytes, so whoever reads counts, and stops.
 * We ask for none, but some servers compress whatever they are asked.
 * @throws Error for an encoding that is not known here, and for several of them on top of each other
 */
export async function* decodeBody(body: Readable, encoding: string | undefined): AsyncGenerator<Buffer> {
  if (isIdentityEncoding(encoding)) return yield* body
  const create = decoders.get(encoding?.trim().toLowerCase() ?? '')
  if (!create) throw new Error(`unknown content-encoding ${encoding}`)
  const decoder = create()
  // What fails on either side ends the other, and whoever reads hears of it.
  pipeline(body, decoder, () => undefined)
  try {
    yield* decoder
  } catch (error) {
    // Some servers name an encoding for no body at all.
    const empty = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR'
    if (!empty || decoder.bytesWritten > 0) throw error
  }
}
