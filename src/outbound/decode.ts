import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Buffer

const decoders: Record<string, Decoder> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/**
 * Undoes `Content-Encoding`. We ask for none, but some servers compress whatever they are asked.
 * @throws RangeError with code `ERR_BUFFER_TOO_LARGE` where the decoded body passes `maxBytes`.
 */
export function decodeBody(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer {
  if (body.length === 0 || !encoding || encoding === 'identity') return body
  const decoder = decoders[encoding.toLowerCase()]
  if (!decoder) throw new Error(`unknown content-encoding ${encoding}`)
  return decoder(body, { maxOutputLength: maxBytes })
}
