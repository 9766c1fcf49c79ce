import { GalleyError } from '../errors.ts'

/** What a document may be at most. Beyond it the answer is an error that says so, never a crash. */
export const LIMITS = {
  /** Objects and arrays inside each other in a payload; four of them are one list inside a list. */
  jsonDepth: 500,
  /** Lists inside lists. A browser stops nesting at 512 open elements, and each list takes two. */
  listDepth: 100,
  /** Blocks of a document, each list item counted as one, as the block editor does. */
  blocks: 20_000,
  /** UTF-16 code units in all strings of a payload together. */
  textLength: 5_000_000,
} as const

export type LimitCode = 'document_too_deep' | 'document_too_many_blocks' | 'document_too_long'

const messages: Record<LimitCode, string> = {
  document_too_deep: `The document is nested too deeply: at most ${LIMITS.listDepth} lists inside each other, and ${LIMITS.jsonDepth} levels of objects and arrays. Flatten the innermost lists and send it again.`,
  document_too_many_blocks: `The document has more than ${LIMITS.blocks} blocks, list items counted. Split it into several documents.`,
  document_too_long: `The document holds more than ${LIMITS.textLength} characters of text. Split it into several documents.`,
}

/** The error for a document beyond one of the {@link LIMITS}: permanent, the delivery's own, 422. */
export function limitError(code: LimitCode): GalleyError {
  return new GalleyError({ code, message: messages[code], whose: 'delivery', httpStatus: 422 })
}

/**
 * Walks parsed JSON no deeper than it may be, so that no depth of nesting can overflow the stack.
 * @returns the error to throw or report, or `undefined` where everything downstream may recurse safely.
 */
export function findExcess(value: unknown): GalleyError | undefined {
  const length = textLength(value, 0)
  if (Number.isNaN(length)) return limitError('document_too_deep')
  return length > LIMITS.textLength ? limitError('document_too_long') : undefined
}

/** UTF-16 code units in all strings under `node`; NaN where it is nested too deeply. */
function textLength(node: unknown, depth: number): number {
  if (depth > LIMITS.jsonDepth) return Number.NaN
  if (typeof node === 'string') return node.length
  if (node === null || typeof node !== 'object') return 0
  let total = 0
  for (const child of Array.isArray(node) ? node : Object.values(node)) total += textLength(child, depth + 1)
  return total
}
