import type { Block } from '../tree.ts'
import { isWire, textFields, type Wire } from './fields.ts'
import { plainText, says } from './plain-text.ts'
import type { Reading } from './reading.ts'

/** Members in which people write something to be read. */
const forReaders = [
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
] as const

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
  const text = (elsewhere[type] ?? []).some((name) => isFilled(wire[name])) ? [] : firstFilled(wire)
  sayPassedOver(wire, `this ${type}`, [...text, ...(alsoRead[type] ?? [])], read, reading)
}

const firstFilled = (wire: Wire): string[] => textFields.filter((name) => isFilled(wire[name])).slice(0, 1)

/** @param read what was made of the members with these names */
export function sayPassedOver(
  wire: Wire,
  what: string,
  names: readonly string[],
  read: unknown,
  reading: Reading,
): void {
  let text: string | undefined
  for (const name of forReaders) {
    if (names.includes(name) || !isFilled(wire[name])) continue
    text ??= plainText(read)
    if (!says(text, plainText(wire[name])))
      reading.warn('text_left_out', `the "${name}" of ${what} is not read, and its text is left out`)
  }
}

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && typeof value !== 'boolean'

/** What there is to read in a thing of which nothing was read; the empty string where its text was there, and empty. */
export function textUnread(value: unknown, names: readonly string[]): string {
  if (!isWire(value) || names.some((name) => value[name] !== undefined && value[name] !== null)) return ''
  return plainText(value).trim()
}
