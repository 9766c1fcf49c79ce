import { endOfBeginning } from './json-beginning.ts'
import { MOST_VALUES } from './limits.ts'

/** Where JSON was found; `null` is valid JSON, so absence needs a shape of its own. */
export type Found = { found: true; value: unknown } | { found: false }

const NOTHING: Found = { found: false }
const PAGE = /<(?:!doctype|html|head|body)\b/i
/** Deeper than anything WordPress sends; whoever walks through a value would run out of stack. */
const MAX_DEPTH = 100
/** Notices are short, and each candidate costs a scan. */
const MAX_CANDIDATES = 20

/**
 * The JSON of an answer, even behind a byte order mark, PHP notices, or cache comments around it. Not out of
 * a web page, which may well have JSON in it that means something else.
 */
export function readJson(body: Buffer): Found {
  const text = body
    .toString('utf8')
    .replace(/^\uFEFF+/, '')
    .trim()
  if (text === '' || hasTooMany(text)) return NOTHING
  const whole = parse(text)
  return whole.found ? whole : embedded(text)
}

/**
 * The longest of what is there: what is printed around an answer may be JSON too, and `[]` would say that nothing is. Of an
 * answer that broke off, no part is the answer.
 */
function embedded(text: string): Found {
  const starts = text.matchAll(/\{\s*"|\[\s*\{\s*"|\[\s*\]|\{\s*\}/g)
  let best: Found & { from: number; end: number } = { ...NOTHING, from: 0, end: 0 }
  let tried = 0
  let read = 0
  for (const { index } of starts) {
    if (index < read) continue
    if (tried++ === MAX_CANDIDATES) return NOTHING
    const end = endOfValue(text, index)
    if (end === -1) {
      read = endOfBeginning(text, index)
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
const CLEARLY_FEW = 2 * MOST_VALUES

/** Whether a JSON text has more values than may be kept; each but the first of its kind follows a comma or a bracket. */
function hasTooMany(text: string): boolean {
  if (text.length < CLEARLY_FEW) return false
  let values = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if ((code === COMMA || code === BRACKET || code === BRACE) && ++values > MOST_VALUES) return true
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

function parse(text: string): Found {
  if (depthOf(text) > MAX_DEPTH) return NOTHING
  try {
    return { found: true, value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return NOTHING
    throw error
  }
}
