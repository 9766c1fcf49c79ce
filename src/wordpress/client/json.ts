import type { RequestSubject } from '../failures/index.ts'

const MEBIBYTE = 1024 * 1024

/** Bytes of the index of a REST API: it names every route of every plugin. */
export const MAX_INDEX_BYTES = 4 * MEBIBYTE

/**
 * Bytes of an answer, by what it is about. A post comes back with its text three times and more: as it was sent, as it
 * is shown, and as plugins tell it to search engines. JSON takes many times its length when it is read, so nothing gets
 * more than it needs.
 */
export const MAX_ANSWER_BYTES: Record<RequestSubject, number> = {
  post: 8 * MEBIBYTE,
  site: MAX_INDEX_BYTES,
  media: 2 * MEBIBYTE,
  term: 2 * MEBIBYTE,
  user: 2 * MEBIBYTE,
}

/** Bytes of the answers to several requests: a body of 900 kB comes back three times, and with each post goes what plugins add. */
export const MAX_BATCH_BYTES = 16 * MEBIBYTE

/**
 * Values in one JSON text. An empty object takes three bytes to send and sixty to keep, so that bytes alone limit
 * little; the largest true answers, indexes of sites with many plugins, have a tenth of this.
 */
const MAX_JSON_VALUES = 500_000

/** Where JSON was found; `null` is valid JSON, so absence needs a shape of its own. */
export type JsonResult = { found: true; value: unknown } | { found: false }

const NOTHING: JsonResult = { found: false }
const PAGE = /<(?:!doctype|html|head|body)\b/i
/** Deeper than anything WordPress sends; whoever walks through a value would run out of stack. */
const MAX_DEPTH = 100
/** Notices are short, and each candidate costs a scan. */
const MAX_CANDIDATES = 20

/**
 * The JSON of an answer, even behind a byte order mark, PHP notices, or cache comments around it. Not out of
 * a web page, which may well have JSON in it that means something else.
 */
export function extractJson(body: Buffer): JsonResult {
  const text = body
    .toString('utf8')
    .replace(/^\uFEFF+/, '')
    .trim()
  if (text === '' || hasTooManyValues(text)) return NOTHING
  const whole = parse(text)
  return whole.found ? whole : embeddedJson(text)
}

/**
 * The longest of what is there: what is printed around an answer may be JSON too, and `[]` would say that nothing is. Of an
 * answer that broke off, no part is the answer.
 */
function embeddedJson(text: string): JsonResult {
  const starts = text.matchAll(/\{\s*"|\[\s*\{\s*"|\[\s*\]|\{\s*\}/g)
  let best: JsonResult & { from: number; end: number } = { ...NOTHING, from: 0, end: 0 }
  let tried = 0
  let read = 0
  for (const { index } of starts) {
    if (index < read) continue
    if (tried++ === MAX_CANDIDATES) return NOTHING
    const end = endOfValue(text, index)
    if (end === -1) {
      read = endOfJsonPrefix(text, index)
      if (read === text.length && read - index > best.end - best.from)
        best = { ...NOTHING, from: index, end: read }
      continue
    }
    const value = parse(text.slice(index, end))
    if (!value.found) continue
    read = end
    if (end - index > best.end - best.from) best = { ...value, from: index, end }
  }
  const { from, end, ...found } = best
  return PAGE.test(text.slice(0, from)) || PAGE.test(text.slice(end)) ? NOTHING : found
}

/** The index behind the bracket that closes the one at `start`, or -1. Brackets inside strings do not count. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const character = text[i]
    if (inString) {
      if (character === '\\') i++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return -1
}

/** Texts shorter than this have fewer values than are too many. */
const UNCOUNTED_LENGTH = 2 * MAX_JSON_VALUES

/** Whether a JSON text has more values than may be kept; each but the first of its kind follows a comma or a bracket. */
function hasTooManyValues(text: string): boolean {
  if (text.length < UNCOUNTED_LENGTH) return false
  let values = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if ((code === COMMA || code === BRACKET || code === BRACE) && ++values > MAX_JSON_VALUES) return true
  }
  return false
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [34, 92, 44, 91, 123]

/** How deep the brackets of a JSON text stand within each other; those inside strings do not count. */
function depthOf(text: string): number {
  let deepest = 0
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (inString) {
      if (character === '\\') i++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth--
  }
  return deepest
}

function parse(text: string): JsonResult {
  if (depthOf(text) > MAX_DEPTH) return NOTHING
  try {
    return { found: true, value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return NOTHING
    throw error
  }
}

/** A sign, a text that may break off, a number or a word. */
const TOKEN = /\s*([{}[\]:,]|"(?:[^"\\\p{Cc}]|\\.)*["\\]?|[-+.\w]+)/uy

/** What may come next. */
type Next = 'value' | 'item' | 'key' | 'member' | 'colon' | 'more'

/** What may come after a bracket that opens: `item` and `member` let it close at once. */
const INSIDE: Record<string, Next> = { '[': 'item', '{': 'member' }
const OPENS: Record<string, string> = { ']': '[', '}': '{' }
const ENDS: ReadonlySet<Next> = new Set(['item', 'member', 'more'])
const VALUES: ReadonlySet<Next> = new Set(['value', 'item'])
const KEYS: ReadonlySet<Next> = new Set(['key', 'member'])

/**
 * How far a JSON text that begins at `start` reads as one: to the end of `text` where it broke off there, or else to what
 * cannot stand in JSON. What lies in between is a part of it.
 */
function endOfJsonPrefix(text: string, start: number): number {
  const open: string[] = []
  let next: Next | null = 'value'
  let read = start
  TOKEN.lastIndex = start
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    next = nextExpected(found[1] ?? '', next, open)
    if (next === null) return read
    read = TOKEN.lastIndex
  }
  return text.slice(read).trim() === '' ? text.length : read
}

/** What may come after this token, or null where it could not come. */
function nextExpected(token: string, next: Next, open: string[]): Next | null {
  const kind = token.charAt(0)
  const inside = INSIDE[kind]
  if (inside !== undefined) {
    open.push(kind)
    return VALUES.has(next) ? inside : null
  }
  if (kind in OPENS) return ENDS.has(next) && open.pop() === OPENS[kind] && open.length > 0 ? 'more' : null
  if (kind === ',') return next !== 'more' ? null : open.at(-1) === '{' ? 'key' : 'value'
  if (kind === ':') return next === 'colon' ? 'value' : null
  if (KEYS.has(next)) return kind === '"' ? 'colon' : null
  return VALUES.has(next) ? 'more' : null
}
