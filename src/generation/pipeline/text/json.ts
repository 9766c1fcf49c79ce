import { jsonrepair } from 'jsonrepair'

/** A value that stands in an answer. `whole`: it was not cut off. */
export interface Found {
  value: unknown
  whole: boolean
}

/** Characters of an answer, beyond which it is not looked at: fifteen times the longest that is asked for. */
const LONGEST = 100_000

/** Objects and arrays inside each other: what repairs goes into each of them. */
const DEEPEST = 40

/**
 * Where a repair may look through the rest of a piece, or copy what it has so far: as it does to put a comma between numbers and
 * words of JSON.
 */
const MARKS = /["'“”‘’`´/\\[\]{}\n\r]|(?:\d|true|false|null|True|False|None)\s/g

/** Marks in a piece that is repaired, times its characters: so many steps it may take. The longest answers take a half. */
const STEPS = 200_000_000

/** Places at which an object is looked for: prose has few brackets. */
const TRIES = 12

/** Thoughts that some models write before their answer. */
const THOUGHTS = '</think>'

/** Control characters that JSON has no place for. */
const control = /(?![\n\r\t])\p{Cc}/gu

/**
 * The JSON values that an answer may mean, the likeliest first: all of it, what stands in its fences, and what begins at one
 * of its brackets, each as it is or else repaired. Prose around, trailing commas, single quotes, comments, line breaks in
 * strings and a missing end are what models add.
 */
export function* jsonIn(answer: string): Generator<Found> {
  const thought = answer.lastIndexOf(THOUGHTS)
  const text = (thought === -1 ? answer : answer.slice(thought + THOUGHTS.length)).replace(control, '')
  if (text.length > LONGEST) return
  for (const piece of new Set(pieces(text))) {
    const { depth, whole } = scan(piece, 0)
    if (depth > DEEPEST) continue
    const value = parsed(piece)
    if (value !== undefined) yield { value, whole }
  }
}

function* pieces(text: string): Generator<string> {
  const trimmed = text.trim()
  if (/^[{[]/.test(trimmed)) yield trimmed
  for (const fenced of text.split('```').filter((_, index) => index % 2 === 1)) {
    const from = fenced.search(/[{[]/)
    if (from !== -1) yield fenced.slice(from).trim()
  }
  let from = text.search(/[{[]/)
  const first = from
  for (let times = 0; times < TRIES && from !== -1; times += 1) {
    const { end } = scan(text, from)
    yield text.slice(from, end)
    const next = text.slice(end).search(/[{[]/)
    from = next === -1 ? -1 : end + next
  }
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  // A quote that was not escaped leads the scan astray.
  if (first !== -1 && last > first) yield text.slice(first, last + 1)
}

/** Where what begins at `from` ends, how deep it goes, and whether it ends at all. */
function scan(text: string, from: number): { end: number; depth: number; whole: boolean } {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (quoted && character === '\\') at += 1
    else if (character === '"') quoted = !quoted
    else if (!quoted && (character === '{' || character === '[')) depth += 1
    else if (!quoted && (character === '}' || character === ']')) depth -= 1
    deepest = Math.max(deepest, depth)
    if (depth === 0 && !quoted) return { end: at + 1, depth: deepest, whole: true }
  }
  return { end: text.length, depth: deepest, whole: false }
}

const asItIs = (text: string): string => text

/** As it is, or repaired; undefined where neither is JSON of an object or an array. */
function parsed(piece: string): unknown {
  const mayBeRepaired = (piece.match(MARKS)?.length ?? 0) * piece.length <= STEPS
  for (const read of mayBeRepaired ? [asItIs, jsonrepair] : [asItIs]) {
    try {
      const value: unknown = JSON.parse(read(piece))
      if (typeof value === 'object' && value !== null) return value
    } catch {
      // No JSON this way: the other way is tried, then the next piece.
    }
  }
  return undefined
}
