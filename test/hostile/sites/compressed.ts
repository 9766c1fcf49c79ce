import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Way } from './server.ts'

/** The honest body, compressed or said to be. */
const encoded =
  (encoding: string, bytes: (body: Buffer) => Buffer): Way =>
  ({ honest }) => {
    const body = Buffer.from(honest.text ?? JSON.stringify(honest.json))
    return { ...honest, headers: { ...honest.headers, 'content-encoding': encoding }, text: bytes(body) }
  }

/** Bytes that a bomb unpacks to. */
const UNPACKED = 200 * 1024 * 1024

const made = new Map<string, Buffer>()

/** Made when first used: each takes a second. */
function bomb(kind: string, make: () => Buffer): Buffer {
  const known = made.get(kind) ?? make()
  made.set(kind, known)
  return known
}

const spaces = () => Buffer.alloc(UNPACKED, ' ')
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** The answer compressed, in good order or not, and answers that are small on the way and large when unpacked. */
export const compressedWays: Record<string, Way> = {
  gzip: encoded('gzip', gzipSync),
  'gzip that is corrupt': encoded('gzip', (body) => {
    const bytes = gzipSync(body)
    bytes.fill(0xff, bytes.length / 2)
    return bytes
  }),
  'gzip that is none': encoded('gzip', (body) => body),
  'gzip cut short': encoded('gzip', (body) => gzipSync(body).subarray(0, -8)),
  'an unknown encoding': encoded('zstd, compress, x', (body) => body),
  'gzip bomb': encoded('gzip', () => bomb('gzip', () => gzipSync(spaces()))),
  'br bomb': encoded('br', () => bomb('br', () => brotliCompressSync(spaces(), quick))),
  'gzip in gzip bomb': encoded('gzip, gzip', () => bomb('twice', () => gzipSync(gzipSync(spaces())))),
  'many encodings': encoded(Array(50).fill('gzip').join(), (body) => body),
}
