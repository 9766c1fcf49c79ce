import { hash } from 'node:crypto'
import { LIMITS, LimitError } from './limits.ts'

interface PayloadWalk {
  values: number
  textLength: number
  /** Characters of values that are not text but may become text. */
  otherLength: number
}

/** Shorter names cost fewer bytes than counted for their inline node. */
const SHORT_NAME = 9

/**
 * UTF-16 code units that may become text: strings, numbers, and long names, which head a table without a header. Only
 * strings are limited, without long `data:` addresses. Where it throws nothing, recursion is safe.
 * @throws LimitError for too many values, too much text or too deep a nesting
 */
export function countTextUnits(value: unknown): number {
  const walk = { values: 0, textLength: 0, otherLength: 0 }
  walkValue(value, 0, walk)
  return walk.textLength + walk.otherLength
}

/** As deep as the limit, so that it does not overflow itself. */
function walkValue(node: unknown, depth: number, walk: PayloadWalk): void {
  walk.values += 1
  if (walk.values > LIMITS.values) throw new LimitError('document_too_many_values')
  if (typeof node === 'string') {
    // A file, most likely; the bytes of the body limit it.
    if (node.length > LIMITS.address && isDataUrl(node)) walk.otherLength += node.length
    else walk.textLength += node.length
    if (walk.textLength > LIMITS.textLength) throw new LimitError('document_too_long')
  } else if (typeof node === 'number') walk.otherLength += String(node).length
  if (node === null || typeof node !== 'object') return
  if (depth >= LIMITS.jsonDepth) throw new LimitError('document_too_deep')
  if (Array.isArray(node)) for (const child of node) walkValue(child, depth + 1, walk)
  else walkObject(node, depth, walk)
}

/** `for in` is safe and allocates nothing: JSON.parse creates only own members. */
function walkObject(node: object, depth: number, walk: PayloadWalk): void {
  for (const name in node) {
    if (name.length > SHORT_NAME) walk.otherLength += name.length
    walkValue((node as Record<string, unknown>)[name], depth + 1, walk)
  }
}

/** Whether parsed JSON is too deep to recurse into. Stops at the limit itself. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (value === null || typeof value !== 'object') return false
  if (depth >= LIMITS.jsonDepth) return true
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
  return members.some((member) => isTooDeep(member, depth + 1))
}

const [quote, backslash, comma, openArray, openObject] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0))

/** Counts a body's values before parsing, which expands it 20 to 30 times; bodies too short for so many are skipped. */
export function findLimitViolationInBody(body: Buffer): LimitError | undefined {
  if (body.length < LIMITS.values * 2) return undefined
  let values = 1
  for (let index = 0; index < body.length; index += 1) {
    const sign = body[index]
    if (sign === quote) index = endOfString(body, index)
    else if (sign === comma || sign === openArray || sign === openObject) values += 1
    if (values > LIMITS.values) return new LimitError('document_too_many_values')
  }
  return undefined
}

/** Index of the closing quote of the string at `start`, or the body's length. */
function endOfString(body: Buffer, start: number): number {
  for (let index = start + 1; index < body.length; index += 1) {
    if (body[index] === backslash) index += 1
    else if (body[index] === quote) return index
  }
  return body.length
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a body of UTF-8 JSON, with or without a byte order mark, which .NET and PowerShell write. Stored bodies are
 * parsed by it again, so what it accepts must stay accepted.
 * @throws LimitError for too many values; SyntaxError, TypeError where it is neither
 */
export function parseJsonBody(body: Buffer): unknown {
  const excess = findLimitViolationInBody(body)
  if (excess) throw excess
  return JSON.parse(utf8.decode(body))
}

/** What stands before the data; a longer head is that of no file. */
const HEAD = /^\s*data:([^,]{0,200}),/i

/** Whether an address holds its file itself (RFC 2397): `data:image/png;base64,…`. */
export const isDataUrl = (address: string): boolean => HEAD.test(address)

interface DataUrlFile {
  /** As the address says; the bytes decide. */
  type: string
  bytes: Buffer
}

/** The file in a `data:` address. What is not in its alphabet is left out of it, so that a broken one is a broken file. */
export function decodeDataUrl(url: string): DataUrlFile {
  const [head = '', parameters = ''] = HEAD.exec(url) ?? []
  const [type = '', ...others] = parameters.split(';').map((part) => part.trim().toLowerCase())
  const data = percentDecoded(url.slice(head.length))
  return { type, bytes: Buffer.from(data, others.includes('base64') ? 'base64' : 'utf8') }
}

/** What `%41` and the like stand for; the text as it is where they are no UTF-8. */
export function percentDecoded(data: string): string {
  if (!data.includes('%')) return data
  try {
    return decodeURIComponent(data)
  } catch {
    // A lone percent sign, or bytes of another encoding.
    return data
  }
}

/** The short address that stands for a `data:` one: the same for the same bytes, so that a file is uploaded once. */
export const shortDataUrl = (url: string): string =>
  `data:sha256-${hash('sha256', decodeDataUrl(url).bytes, 'hex').slice(0, 32)}`
