import type { RequestSubject } from '../failures/types.ts'

const MEBIBYTE = 1024 * 1024

/** Bytes of the index of a REST API: it names every route of every plugin. */
export const MAX_INDEX_BYTES = 4 * MEBIBYTE

/** Bytes of an answer, by subject: a post comes back three times and more, and JSON takes many times its length when read. */
export const MAX_ANSWER_BYTES: Record<RequestSubject, number> = {
  post: 8 * MEBIBYTE,
  site: MAX_INDEX_BYTES,
  media: 2 * MEBIBYTE,
  term: 2 * MEBIBYTE,
  user: 2 * MEBIBYTE,
}

/** Bytes of the answers to several requests: a body of 900 kB comes back three times, and with each post goes what plugins add. */
export const MAX_BATCH_BYTES = 16 * MEBIBYTE

/** Values in one JSON text, ten times the largest true answer: an empty object takes sixty bytes to keep. */
const MAX_JSON_VALUES = 500_000

/** Where JSON was found; `null` is valid JSON, so absence needs a shape of its own. */
export type JsonResult = { found: true; value: unknown } | { found: false }

const NOTHING: JsonResult = { found: false }
const PAGE = /<(?:!doctype|html|head|body)\b/i
/** Deeper than anything WordPress sends; whoever walks through a value would run out of stack. */
const MAX_DEPTH = 100
/** Notices are short, and each candidate costs a scan. */
const MAX_CANDIDATES = 20

/** Also behind a byte order mark, PHP notices or cache comments; not out of a web page. */
export function extractJson(body: Buffer): JsonResult {
  const text = body
    .toString('utf8')
    .replace(/^\uFEFF+/, '')
    .trim()
  if (text === '') return NOTHING
  const whole = parse(text)
  return whole.found ? whole : embeddedJson(text)
}

/** What stands around a value that is a part of another one, which broke off. */
const PART_OF_VALUE = { before: /[:,[]\s*$/, after: /^\s*[,:\]}]/ }

/** The longest of what is there: `[]` beside an answer is no answer. Of one that broke off, none is. */
function embeddedJson(text: string): JsonResult {
  const starts = text.matchAll(/\{\s*"|\[\s*\{\s*"|\[\s*\]|\{\s*\}/g)
  let best: JsonResult & { from: number; end: number } = { ...NOTHING, from: 0, end: 0 }
  let tried = 0
  let read = 0
  /** Where one begins behind the best that has no end. */
  let unclosed = text.length
  for (const { index } of starts) {
    if (index < read) continue
    if (tried++ === MAX_CANDIDATES) return NOTHING
    const { end } = measure(text, index)
    if (end === -1) unclosed = Math.min(unclosed, index)
    const value = end === -1 ? NOTHING : parse(text.slice(index, end))
    if (!value.found) continue
    read = end
    if (end - index <= best.end - best.from) continue
    best = { ...value, from: index, end }
    unclosed = text.length
  }
  const { from, end, ...found } = best
  if (text.length - unclosed > end - from) return NOTHING
  const [before, after] = [text.slice(0, from), text.slice(end)]
  const isPart = PART_OF_VALUE.before.test(before) || PART_OF_VALUE.after.test(after)
  return isPart || PAGE.test(before) || PAGE.test(after) ? NOTHING : found
}

/** What is known of the JSON value at `start` without reading it. Brackets and commas inside strings do not count. */
interface Measure {
  /** Index behind its last bracket; -1 where that is missing. */
  end: number
  depth: number
  /** All of them but the first follow a comma or a bracket. */
  values: number
}

function measure(text: string, start: number): Measure {
  let [open, depth, values] = [0, 0, 0]
  let inString = false
  for (let i = start; i < text.length; i++) {
    const character = text[i]
    if (inString) {
      if (character === '\\') i++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === ',') values++
    else if (character === '{' || character === '[') {
      values++
      depth = Math.max(depth, ++open)
    } else if (character === '}' || character === ']') {
      open--
      if (open <= 0) return { end: i + 1, depth, values }
    }
  }
  return { end: -1, depth, values }
}

function parse(text: string): JsonResult {
  const { depth, values } = measure(text, 0)
  if (depth > MAX_DEPTH || values > MAX_JSON_VALUES) return NOTHING
  try {
    return { found: true, value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return NOTHING
    throw error
  }
}
