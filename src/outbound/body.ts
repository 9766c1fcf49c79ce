import { pipeline, type Readable } from 'node:stream'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib'
import type { ByteLease } from '../bytes/budget.ts'

/** Bytes of an answer that are read without a lease from the budget: most answers are shorter. */
export const UNBUDGETED_BODY_BYTES = 64 * 1024

export class BodyTooBig extends Error {}

interface BodyReadOptions {
  /** Bytes, decoded. */
  maxBytes: number
  /** What happens to a longer body: reading fails, or stops at the limit. */
  overflow: 'fail' | 'cut'
  /** Content length in bytes, where known. */
  expected: number | undefined
  /** Whether decoding itself takes much memory, so that the lease is taken before the first byte. */
  costly: boolean
  room: (bytes: number) => Promise<ByteLease>
  /** Receives the bytes as they arrive; the body is not kept then. */
  onBody: ((chunk: Buffer) => void) | undefined
}

/** A body and its lease; no lease where the body is small or was not kept. */
export interface ReadBody {
  body: Buffer
  lease: ByteLease | undefined
}

/** Reads a body; above {@link UNBUDGETED_BODY_BYTES}, waits for a lease of its length or `maxBytes`. @throws BodyTooBig */
export async function readBody(stream: AsyncIterable<Buffer>, reading: BodyReadOptions): Promise<ReadBody> {
  const { maxBytes, overflow, expected, costly, room, onBody } = reading
  let lease: ByteLease | undefined
  let held: Buffer | undefined
  let length = 0
  /** Continues in a buffer of so many bytes. Its pages are not resident before they are written. */
  const holdIn = (bytes: number): Buffer => {
    const before = held?.subarray(0, length)
    held = Buffer.allocUnsafeSlow(bytes)
    before?.copy(held)
    return held
  }
  const grow = async (bytes: number) => {
    lease = await room(bytes)
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
        if (lease === undefined && length + kept.length > UNBUDGETED_BODY_BYTES) await grow(maxBytes)
        kept.copy(held ?? holdIn(UNBUDGETED_BODY_BYTES), length)
      }
      length += kept.length
      if (length === maxBytes && overflow === 'cut') break
    }
  } catch (error) {
    lease?.release()
    throw error
  }
  if (held === undefined) return { body: Buffer.alloc(0), lease }
  lease?.shrink(length)
  // A short body must not keep a large allocation alive.
  const whole = held.subarray(0, length)
  return { body: length < held.length / 2 ? Buffer.from(whole) : whole, lease }
}

/** An unwanted body that exceeds one of these is not drained: its connection is closed. */
const DRAIN_LIMITS = { bytes: 16 * 1024, ms: 1_000 }

/** Reads a short unwanted body to its end so that its connection can be reused. */
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

/** Values that mean no encoding: PHP plugins send `none` to end an answer early; some servers name a charset here. */
const IDENTITY_NAMES: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8'])

export const isIdentityEncoding = (encoding = ''): boolean =>
  IDENTITY_NAMES.has(encoding.trim().toLowerCase())

/** Decodes `Content-Encoding` as a stream: a few kilobytes may become gigabytes. @throws Error for an unknown or a second encoding */
export async function* decodeBody(body: Readable, encoding: string | undefined): AsyncGenerator<Buffer> {
  if (isIdentityEncoding(encoding)) return yield* body
  const create = decoders.get(encoding?.trim().toLowerCase() ?? '')
  if (!create) throw new Error(`unknown content-encoding ${encoding}`)
  const decoder = create()
  // `pipeline` destroys both streams on an error; the loop below throws it.
  pipeline(body, decoder, () => undefined)
  try {
    yield* decoder
  } catch (error) {
    // Some servers name an encoding for an empty body.
    const empty = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR'
    if (!empty || decoder.bytesWritten > 0) throw error
  }
}
