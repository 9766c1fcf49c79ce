import { LimitError } from './limit-error.ts'
import { LIMITS } from './limits.ts'

/** How far a payload was walked. */
interface Walk {
  values: number
  textLength: number
  /** Of what is no text yet, and may become some. */
  otherLength: number
}

/** A name that is no longer becomes fewer bytes than are counted for the one inline node that it is. */
const SHORT_NAME = 9

/**
 * Walks parsed JSON no deeper than it may be, so that no depth of nesting can overflow the stack.
 * @returns the error to throw or report, or `undefined` where everything downstream may recurse safely.
 */
export function findExcess(value: unknown): LimitError | undefined {
  return findIn(value, 0, { values: 0, textLength: 0, otherLength: 0 })
}

/**
 * UTF-16 code units of all that may become text of parsed JSON: strings, numbers, and long names, which are the header of
 * a table that has none. Only strings are limited.
 * @throws LimitError what {@link findExcess} finds
 */
export function textLengthOf(value: unknown): number {
  const walk = { values: 0, textLength: 0, otherLength: 0 }
  const excess = findIn(value, 0, walk)
  if (excess) throw excess
  return walk.textLength + walk.otherLength
}

function findIn(node: unknown, depth: number, walk: Walk): LimitError | undefined {
  walk.values += 1
  if (walk.values > LIMITS.values) return new LimitError('document_too_many_values')
  if (typeof node === 'string') {
    walk.textLength += node.length
    return walk.textLength > LIMITS.textLength ? new LimitError('document_too_long') : undefined
  }
  if (typeof node === 'number') walk.otherLength += String(node).length
  if (node === null || typeof node !== 'object') return undefined
  if (depth >= LIMITS.jsonDepth) return new LimitError('document_too_deep')
  return Array.isArray(node) ? findAmong(node, depth, walk) : findWithin(node, depth, walk)
}

function findAmong(children: readonly unknown[], depth: number, walk: Walk): LimitError | undefined {
  for (const child of children) {
    const excess = findIn(child, depth + 1, walk)
    if (excess) return excess
  }
  return undefined
}

/** What JSON.parse made has no members but its own: no list of them need be made. */
function findWithin(node: object, depth: number, walk: Walk): LimitError | undefined {
  for (const name in node) {
    if (name.length > SHORT_NAME) walk.otherLength += name.length
    const excess = findIn((node as Record<string, unknown>)[name], depth + 1, walk)
    if (excess) return excess
  }
  return undefined
}

/** Whether parsed JSON, a document or not, is so deep that nothing downstream may recurse. Walks it no deeper than it may be. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (value === null || typeof value !== 'object') return false
  if (depth >= LIMITS.jsonDepth) return true
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
  return members.some((member) => isTooDeep(member, depth + 1))
}

const [quote, backslash, comma, openArray, openObject] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0))

/**
 * Looks through a body before it is parsed, for parsing makes 20 to 30 bytes of one: ten megabytes of `{},` are 300 once
 * they are objects. Most bodies are too short to hold so many values, and are not looked at.
 */
export function findExcessUnparsed(body: Buffer): LimitError | undefined {
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

/** Where the string ends that begins at `start`; the body's end where it does not. */
function endOfString(body: Buffer, start: number): number {
  for (let index = start + 1; index < body.length; index += 1) {
    if (body[index] === backslash) index += 1
    else if (body[index] === quote) return index
  }
  return body.length
}
