import { isWire, typeOf } from './fields.ts'
import { inlineTypeOf, isRunning } from './inline-type.ts'

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
    const close = isRunning(value) ? '' : gap
    let next = gap
    for (const item of value) {
      const before = walk.texts.length
      collect(item, next, walk)
      if (close !== gap && isBreak(item)) next = ' '
      else if (walk.texts.length > before) next = close
    }
  } else if (isWire(value)) {
    const isTable = typeOf(value) === 'table'
    for (const [name, member] of Object.entries(value)) {
      if (notText.test(name)) continue
      if (isTable && holdsRows(name, member)) collectRows(member, gap, walk)
      else collect(member, gap, walk)
    }
  }
}

/** Where a table has its rows, and its header where that is an object of labels by column. */
const holdsRows = (name: string, member: unknown): boolean =>
  /^(rows|body|data|text|value|content|children)$/.test(name) ||
  (isWire(member) && /^(headers?|head|columns)$/.test(name))

const namesOfCells = /^(cells|columns|values|text|value|content|children)$/

/** Rows keyed by header, whose columns may be called anything: `Level`, `Language`, `ID`. */
function collectRows(value: unknown, gap: string, walk: Walk): void {
  const rows = Array.isArray(value) ? value : [value]
  for (const row of rows) {
    if (isWire(row) && !Object.keys(row).some((name) => namesOfCells.test(name)))
      for (const cell of Object.values(row)) collect(cell, gap, walk)
    else collect(row, gap, walk)
  }
}

const isBreak = (value: unknown): boolean => inlineTypeOf(typeOf(value) ?? 'text') === 'break'

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
