import type { Warning } from '../errors.ts'

/** What the styles of Word mean, beside those that mammoth knows. */
const styleMap = [
  'u => u',
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Quote'] => blockquote > p:fresh",
  "p[style-name='Intense Quote'] => blockquote > p:fresh",
  "p[style-name='Source Code'] => pre:separator('\\n')",
  "r[style-name='Verbatim Char'] => code",
]

const FORMULAS_LOST: Warning = {
  code: 'format_left_out',
  message: 'the formulas of the Word document are missing; write them as LaTeX',
}

/** Bytes of a document once it is unpacked. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024

/**
 * A Word document as HTML, its pictures as `data:` addresses. Runs in a browser too.
 * @throws Error where the bytes are no such document
 */
export async function docxToHtml(bytes: Uint8Array): Promise<{ html: string; warnings: Warning[] }> {
  if (unpackedSize(bytes) > MAX_UNPACKED_BYTES) throw new Error('it becomes too large when it is unpacked')
  const { default: mammoth } = await import('mammoth')
  // Node reads `buffer`, and a browser the other.
  const input = { buffer: bytes, arrayBuffer: bytes as unknown as ArrayBuffer }
  const { value, messages } = await mammoth.convertToHtml(input, { styleMap })
  const lost = [...new Set(messages.map(({ message }) => message))]
  // Its formulas are elements that mammoth does not know, with their words in them.
  const isFormula = (message: string) => message.includes('/math}')
  const warnings = lost
    .filter((message) => !isFormula(message) && !message.startsWith('Unrecognised '))
    .map((message): Warning => ({ code: 'format_left_out', message: `Word: ${message}` }))
  if (lost.some(isFormula)) warnings.unshift(FORMULAS_LOST)
  return { html: value, warnings }
}

/**
 * Bytes of the files in an archive, as its directory says (PKWARE APPNOTE, 4.3.12 and 4.3.16). One that lies is left to the
 * limits of who unpacks it.
 */
function unpackedSize(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (end >= 0 && view.getUint32(end) !== 0x504b0506) end -= 1
  let size = 0
  let at = end < 0 ? bytes.length : view.getUint32(end + 16, true)
  while (at + 46 <= bytes.length && view.getUint32(at) === 0x504b0102) {
    size += view.getUint32(at + 24, true)
    at += 46 + [28, 30, 32].reduce((sum, length) => sum + view.getUint16(at + length, true), 0)
  }
  return size
}
