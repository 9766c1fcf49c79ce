import { pipeline, type Readable } from 'node:stream'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib'

const decoders = new Map<string, () => Gunzip | Inflate | BrotliDecompress>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** No encodings: `none` keeps a server from compressing, as PHP is told to end an answer early; some name a charset here. */
const NAMES_OF_NOTHING: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8'])

/** Whether a body is as long as it was sent. */
export const isPlain = (encoding = ''): boolean => NAMES_OF_NOTHING.has(encoding.trim().toLowerCase())

/**
 * Undoes `Content-Encoding`, piece by piece: a few kilobytes may become gigabytes, so whoever reads counts, and stops.
 * We ask for none, but some servers compress whatever they are asked.
 * @throws Error for an encoding that is not known here, and for several of them on top of each other
 */
export async function* decode(body: Readable, encoding: string | undefined): AsyncGenerator<Buffer> {
  if (isPlain(encoding)) return yield* body
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
