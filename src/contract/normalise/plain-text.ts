import type { Inline } from '../tree.ts'
import { isWireObject, wireType } from './fields.ts'

/** Members that hold names, addresses, styles or measures, not text for people. */
const nonTextMembers =
  /^(type|kind|.*_?type|blockType|id|.*_id|_?key|url|src|href|.*_url|style|lang|language|level|class|slug|version|width|height|.*_?align(ment)?|textAlign|dir|direction|format|indent|colou?r|className|variant|theme|target|rel|uu?id)$/

/** Every text inside a value, in order. */
export const plainText = (value: unknown): string => collectTexts(value).text

/** As `plainText`, with the number of values visited. */
export function collectTexts(value: unknown): { text: string; values: number } {
  const walk: TextWalk = { texts: [], values: 0 }
  collect(value, ' ', walk)
  return { text: walk.texts.join(''), values: walk.values }
}

interface TextWalk {
  texts: string[]
  values: number
}

/** @param gap the separator before the first text */
function collect(value: unknown, gap: string, walk: TextWalk): void {
  walk.values += 1
  if (typeof value === 'string' || typeof value === 'number') {
    if (value === '') return
    if (walk.texts.length > 0) walk.texts.push(gap)
    walk.texts.push(String(value))
  } else if (Array.isArray(value)) {
    const close = isRunningText(value) ? '' : gap
    let next = gap
    for (const item of value) {
      const before = walk.texts.length
      collect(item, next, walk)
      if (close !== gap && isBreak(item)) next = ' '
      else if (walk.texts.length > before) next = close
    }
  } else if (isWireObject(value)) {
    const isTable = wireType(value) === 'table'
    for (const [name, member] of Object.entries(value)) {
      if (nonTextMembers.test(name)) continue
      if (isTable && holdsRows(name, member)) collectRows(member, gap, walk)
      else collect(member, gap, walk)
    }
  }
}

/** Whether a member of a table holds its rows, or its header as an object of labels by column. */
const holdsRows = (name: string, member: unknown): boolean =>
  /^(rows|body|data|text|value|content|children)$/.test(name) ||
  (isWireObject(member) && /^(headers?|head|columns)$/.test(name))

const namesOfCells = /^(cells|columns|values|text|value|content|children)$/

/** Rows keyed by header, whose columns may have any name: `Level`, `Language`, `ID`. */
function collectRows(value: unknown, gap: string, walk: TextWalk): void {
  const rows = Array.isArray(value) ? value : [value]
  for (const row of rows) {
    if (isWireObject(row) && !Object.keys(row).some((name) => namesOfCells.test(name)))
      for (const cell of Object.values(row)) collect(cell, gap, walk)
    else collect(row, gap, walk)
  }
}

const isBreak = (value: unknown): boolean => inlineType(wireType(value) ?? 'text') === 'break'

/** Characters compared by words; intake runs on the main thread. */
const MAX_COMPARED_WORDS = 100_000

/**
 * Whether one text contains all words of another. Not a substring search, which takes the product of the lengths for
 * repetitive texts.
 */
export function containsAllWords(text: string, words: string): boolean {
  const sought = words.trim()
  if (sought === '' || text.trim() === sought) return true
  if (text.length + words.length > MAX_COMPARED_WORDS) return false
  const all = wordsOf(sought)
  const there = new Set(wordsOf(text))
  return all.length > 0 && all.every((word) => there.has(word))
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Synonyms of the inline kinds and of a line break; the marking of kinds is open (docs/contract.md). */
const inlineTypes: ReadonlyMap<string, Inline['type'] | 'break'> = new Map(
  Object.entries({
    text: 'text',
    bold: 'bold',
    strong: 'bold',
    b: 'bold',
    italic: 'italic',
    em: 'italic',
    emphasis: 'italic',
    i: 'italic',
    link: 'link',
    a: 'link',
    code: 'code',
    inline_code: 'code',
    code_inline: 'code',
    line_break: 'break',
    hard_break: 'break',
    br: 'break',
  } as const),
)

/** The inline kind of a written type. */
export const inlineType = (type: string): Inline['type'] | 'break' | undefined => inlineTypes.get(type)

/** Whether an array is running text with formats, whose parts join without spaces. */
const isRunningText = (values: readonly unknown[]): boolean =>
  values.some((value) => isFormat(wireType(value))) &&
  values.every((value) => !isWireObject(value) || inlineTypes.has(wireType(value) ?? 'text'))

const isFormat = (type: string | undefined): boolean =>
  type !== undefined && type !== 'text' && inlineTypes.has(type)
