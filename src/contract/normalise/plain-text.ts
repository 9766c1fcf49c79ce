import { isWire } from './fields.ts'
import { isRunning } from './inline-type.ts'

/** Members that name, address, style or measure a thing and are not read by people. */
const notText =
  /^(type|kind|.*_?type|blockType|id|.*_id|_?key|url|src|href|.*_url|style|lang|language|level|class|slug|version|width|height|.*_?align(ment)?|textAlign|dir|direction|format|indent|colou?r|className|variant|theme|target|rel|uu?id)$/

/** Every text inside a value, in order: what is kept of something that could not be understood. */
export const plainText = (value: unknown): string => walkTexts(value).text

/** The same, and what it took to find: the values that were looked at. */
export function walkTexts(value: unknown): { text: string; values: number } {
  const walk: Walk = { texts: [], values: 0 }
  collect(value, ' ', walk)
  return { text: walk.texts.join(''), values: walk.values }
}

interface Walk {
  texts: string[]
  values: number
}

/** @param gap what parts the first text from what stands before it */
function collect(value: unknown, gap: string, walk: Walk): void {
  walk.values += 1
  if (typeof value === 'string' || typeof value === 'number') {
    if (value === '') return
    if (walk.texts.length > 0) walk.texts.push(gap)
    walk.texts.push(String(value))
  } else if (Array.isArray(value)) {
    const close = isRunning(value)
    for (const [index, item] of value.entries()) collect(item, close && index > 0 ? '' : gap, walk)
  } else if (isWire(value)) {
    for (const [name, member] of Object.entries(value)) if (!notText.test(name)) collect(member, gap, walk)
  }
}

/** More is not compared word by word: documents are received on the thread that answers everybody. */
const MOST_COMPARED = 100_000

/**
 * Whether all words of one text stand in another one too. No text is looked for in another: where the two repeat
 * themselves, that takes the product of their lengths.
 */
export function says(text: string, words: string): boolean {
  const sought = words.trim()
  if (sought === '' || text.trim() === sought) return true
  if (text.length + words.length > MOST_COMPARED) return false
  const all = wordsOf(sought)
  const there = new Set(wordsOf(text))
  return all.length > 0 && all.every((word) => there.has(word))
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
