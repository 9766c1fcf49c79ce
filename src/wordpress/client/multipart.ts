import { randomUUID } from 'node:crypto'

/** A form with a file, written out piece by piece: the file is never copied, and so is in memory once. */
export interface Multipart extends Iterable<Buffer> {
  contentType: string
  /** Bytes of all pieces together. */
  length: number
}

interface File {
  name: string
  mimeType: string
  bytes: Buffer
}

/** What one write to the socket takes: with TLS, that much is copied at a time. */
const PIECE = 64 * 1024

/** The fields, and `file` last, as `multipart/form-data` of the HTML standard. What is undefined is left out. */
export function multipart(fields: Record<string, string | undefined>, file: File): Multipart {
  const boundary = `galley-${randomUUID()}`
  const part = (headers: string) => `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${part(`name="${quoted(name)}"`)}${value}\r\n`],
  )
  const type = `Content-Type: ${oneLine(file.mimeType)}`
  const head = part(`name="file"; filename="${quoted(file.name)}"\r\n${type}`)
  const before = Buffer.from(`${texts.join('')}${head}`)
  const after = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: before.length + file.bytes.length + after.length,
    *[Symbol.iterator]() {
      yield before
      for (let at = 0; at < file.bytes.length; at += PIECE) yield file.bytes.subarray(at, at + PIECE)
      yield after
    },
  }
}

const ESCAPED: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A' }

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const quoted = (text: string): string => text.replace(/["\r\n]/g, (character) => ESCAPED[character] as string)

const oneLine = (text: string): string => text.replace(/[\r\n]/g, ' ')
