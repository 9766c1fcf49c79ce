import { LIMITS, LimitError } from './limits.ts'

/** How far a payload was walked. */
interface PayloadWalk {
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
export function findLimitViolation(value: unknown): LimitError | undefined {
  return walkValue(value, 0, { values: 0, textLength: 0, otherLength: 0 })
}

/**
 * UTF-16 code units of all that may become text of parsed JSON: strings, numbers, and long names, which are the header of
 * a table that has none. Only strings are limited.
 * @throws LimitError what {@link findLimitViolation} finds
 */
export function countTextUnits(value: unknown): number {
  const walk = { values: 0, textLength: 0, otherLength: 0 }
  const excess = walkValue(value, 0, walk)
  if (excess) throw excess
  return walk.textLength + walk.otherLength
}

function walkValue(node: unknown, depth: number, walk: PayloadWalk): LimitError | undefined {
  walk.values += 1
  if (walk.values > LIMITS.values) return new LimitError('document_too_many_values')
  if (typeof node === 'string') {
    walk.textLength += node.length
    return walk.textLength > LIMITS.textLength ? new LimitError('document_too_long') : undefined
  }
  if (typeof node === 'number') walk.otherLength += String(node).length
  if (node === null || typeof node !== 'object') return undefined
  if (depth >= LIMITS.jsonDepth) return new LimitError('document_too_deep')
  return Array.isArray(node) ? walkArray(node, depth, walk) : walkObject(node, depth, walk)
}

function walkArray(children: readonly unknown[], depth: number, walk: PayloadWalk): LimitError | undefined {
  for (const child of children) {
    const excess = walkValue(child, depth + 1, walk)
    if (excess) return excess
  }
  return undefined
}

/** What JSON.parse made has no members but its own: no list of them need be made. */
function walkObject(node: object, depth: number, walk: PayloadWalk): LimitError | undefined {
  for (const name in node) {
    if (name.length > SHORT_NAME) walk.otherLength += name.length
    const excess = walkValue((node as Record<string, unknown>)[name], depth + 1, walk)
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

/** Where the string ends that begins at `start`; the body's end where it does not. */
function endOfString(body: Buffer, start: number): number {
  for (let index = start + 1; index < body.length; index += 1) {
    if (body[index] === backslash) index += 1
    else if (body[index] === quote) return index
  }
  return body.length
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a body that is JSON in UTF-8, be there a byte order mark before it, as .NET and PowerShell write one. Whoever
 * reads a stored body reads it by this, as it was read when it came: what is understood once must always be.
 *
 * @throws SyntaxError, TypeError where it is neither
 */
export const parseJsonBody = (body: Uint8Array): unknown => JSON.parse(utf8.decode(body))
