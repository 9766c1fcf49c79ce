import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Draw } from '../stage/random.ts'
import type { WireRequest } from '../stage/wire.ts'

type Encoded = Pick<WireRequest, 'body' | 'headers' | 'framing' | 'pauseMs' | 'abortAt' | 'stayMs'>
type Encoding = (text: string, draw: Draw) => Encoded

const json = (body: Buffer, headers: [string, string][] = []): Encoded => ({
  body,
  headers: [['Content-Type', 'application/json'], ...headers],
})

const sentAs = (encoding: string, bytes: (body: Buffer) => Buffer): Encoding => {
  return (text) => json(bytes(Buffer.from(text)), [['Content-Encoding', encoding]])
}

const typed = (type: string, bytes: (text: string) => Buffer = Buffer.from): Encoding => {
  return (text) => ({ body: bytes(text), headers: [['Content-Type', type]] })
}

const corrupt = (body: Buffer): Buffer => {
  const broken = Buffer.from(body)
  broken.fill(0xff, Math.min(10, broken.length - 1), Math.min(40, broken.length))
  return broken
}

const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))

const boundary = 'multipart/form-data; boundary=x'

/** A body in every form in which it may be sent, the usual one first. */
export const encodings: readonly Encoding[] = [
  (text) => json(Buffer.from(text)),
  (text) => ({ ...json(Buffer.from(text)), framing: 'chunked' }),
  sentAs('gzip', gzipSync),
  sentAs('deflate', deflateSync),
  sentAs('br', brotliCompressSync),
  sentAs('gzip', (body) => corrupt(gzipSync(body))),
  sentAs('deflate', (body) => corrupt(deflateSync(body))),
  sentAs('br', (body) => corrupt(brotliCompressSync(body))),
  sentAs('gzip', (body) => gzipSync(body).subarray(0, -4)),
  sentAs('gzip', (body) => body),
  sentAs('br', (body) => body),
  sentAs('gzip', () => bomb),
  sentAs('gzip', () => Buffer.alloc(0)),
  sentAs('gzip, gzip', (body) => gzipSync(gzipSync(body))),
  sentAs('identity, x', (body) => body),
  sentAs('zstd', (body) => body),
  typed('application/json; charset=utf-16', (text) => Buffer.from(text, 'utf16le')),
  typed('application/json; charset=utf-7'),
  typed('application/json; charset="'),
  typed('application/json; charset=x'.repeat(50)),
  typed('application/json', (text) => Buffer.from(`\ufeff${text}`)),
  typed('application/json', (text) =>
    Buffer.concat([Buffer.from([0xff, 0xfe, 0xc0, 0xaf]), Buffer.from(text)]),
  ),
  typed('application/json', (text) => Buffer.from(text).subarray(0, -1)),
  typed('application/json', (text) => Buffer.from(`${text}${text}`)),
  typed('application/json', () => Buffer.from([0])),
  typed('application/vnd.api+json'),
  typed('text/plain'),
  typed('text/csv'),
  typed('text/csv; charset=utf-16'),
  typed('application/xml', () => Buffer.from('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>')),
  typed('application/x-www-form-urlencoded', () => Buffer.from('a=1&'.repeat(1_200))),
  typed('application/x-www-form-urlencoded', () => Buffer.from(`a${'[b]'.repeat(500)}=1&__proto__[x]=1`)),
  typed(boundary, () => Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n')),
  typed(''),
  typed('/'),
  (text) => ({ body: Buffer.from(text), headers: [] }),
  () => ({ body: null, headers: [] }),
  (text) => ({ ...json(Buffer.from(text)), pauseMs: 150 }),
  (text, draw) => ({ ...json(Buffer.from(text)), abortAt: draw.below(text.length + 1) }),
  (text) => ({ ...json(Buffer.from(text), [['Content-Length', '9000000']]), framing: 'none', stayMs: 700 }),
  (text) => json(Buffer.from(text), [['Content-Length', '5']]),
  (text) => json(Buffer.from(text), [['Expect', '100-continue']]),
  (text) => json(Buffer.from(text), [['Expect', 'a miracle']]),
]
