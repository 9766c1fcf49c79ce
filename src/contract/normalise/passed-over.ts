import type { Block } from '../tree.ts'
import { textFields, type Wire } from './fields.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

/** Members in which people write something to be read. */
const forReaders: ReadonlySet<string> = new Set([
  ...textFields,
  'title',
  'caption',
  'description',
  'summary',
  'label',
  'heading',
  'note',
  'notes',
  'credit',
  'footer',
  'foot',
  'transcript',
])

/** Which of them are read of a block, beside one that holds the text. */
const alsoRead: Partial<Record<Block['type'], readonly string[]>> = {
  table: ['caption'],
  image: ['caption', 'title'],
}

/** Where blocks have what they show, if not in one of the `textFields`. */
const elsewhere: Partial<Record<Block['type'], readonly string[]>> = {
  list: ['items'],
  table: ['rows', 'body', 'data', 'headers', 'header', 'head', 'columns'],
  quote: ['paragraphs'],
  image: ['url', 'src'],
  audio: ['url', 'src'],
}

/** Says which members of a block have words that are not in what was read of it. Of most, none is looked at closely. */
export function sayBlockPassedOver(
  wire: Wire,
  type: Block['type'],
  read: readonly Block[],
  reading: Reading,
): void {
  const isElsewhere = elsewhere[type]?.some((name) => isFilled(wire[name])) ?? false
  const text = isElsewhere ? undefined : textFields.find((name) => isFilled(wire[name]))
  const names = alsoRead[type] ?? []
  sayPassedOver(wire, `this ${type}`, text === undefined ? names : [text, ...names], read, reading)
}

/** @param read what was made of the members with these names, from `start` on */
export function sayPassedOver(
  wire: Wire,
  what: string,
  names: readonly string[],
  read: readonly unknown[],
  reading: Reading,
  start = 0,
): void {
  // by the members that there are: most things have two or three
  for (const name in wire) {
    if (!forReaders.has(name) || names.includes(name) || !isFilled(wire[name])) continue
    if (!reading.repeats(read, wire[name], start))
      reading.warn('text_left_out', `the "${name}" of ${what} is not read, and its text is left out`)
  }
}

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && typeof value !== 'boolean'

/** Whether a thing has no member of these names. */
export const lacks = (wire: Wire, names: readonly string[]): boolean =>
  names.every((name) => wire[name] === undefined || wire[name] === null)

/** What there is to read in a thing that has no text where it is read; the empty string where that is there, and empty. */
export const textUnread = (wire: Wire): string => (lacks(wire, textFields) ? plainText(wire).trim() : '')
