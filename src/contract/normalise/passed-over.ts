import type { Block } from '../tree.ts'
import {
  citationFields,
  isCountOfColumns,
  listFields,
  nameOfFirst,
  shownFields,
  textFields,
  type Wire,
} from './fields.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

/** Members in which people write something to be read, on whatever they stand. */
const forReaders: ReadonlySet<string> = new Set([
  ...textFields,
  ...listFields,
  'title',
  'subtitle',
  'name',
  'term',
  'definition',
  'caption',
  'figcaption',
  'description',
  'summary',
  'label',
  'heading',
  'note',
  'notes',
  'footnote',
  'footnotes',
  'credit',
  'credits',
  'copyright',
  'attribution',
  'author',
  'source',
  'citation',
  'cite',
  'quote',
  'code',
  'paragraphs',
  'question',
  'answer',
  'footer',
  'foot',
  'transcript',
  'alt',
  'alt_text',
  'altText',
  'blocks',
  'lines',
  'headers',
  'rows',
  'thead',
  'tbody',
  'tfoot',
])

/** What each block shows: of the names in one row, the first that is there is read. */
const shown: Readonly<Record<Block['type'], readonly (readonly string[])[]>> = {
  heading: [textFields],
  paragraph: [textFields],
  list: [shownFields.items],
  table: [shownFields.rows, shownFields.header, ['caption']],
  code_block: [shownFields.code],
  image: [shownFields.alternative, ['caption'], ['title']],
  quote: [shownFields.quoted, ...citationFields.map((name) => [name])],
  audio: [],
}

/** Says which members of a block have words that are not in what was read of it. Of most, none is looked at closely. */
export function sayBlockPassedOver(
  wire: Wire,
  type: Block['type'],
  read: readonly Block[],
  reading: Reading,
): void {
  if (!hasSeveral(wire, type)) return
  const names = shown[type].map((alternatives) => nameOfFirst(wire, alternatives) ?? '')
  sayPassedOver(wire, `this ${type}`, names, read, reading, 0, shown[type].flat())
}

const namesShown: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(shown).map(([type, rows]) => [type, new Set(rows.flat())]),
)

/** Whether a block has more than the one member that it shows, as few have: asked of every one. */
function hasSeveral(wire: Wire, type: Block['type']): boolean {
  const ofType = namesShown.get(type)
  let count = 0
  for (const name in wire) {
    if (ofType?.has(name)) count += 1
    else if (forReaders.has(name)) return true
  }
  return count > 1
}

/**
 * @param read what was made of the members with these names, from `start` on
 * @param others members of this thing that have words, beside those that have them on everything
 */
export function sayPassedOver(
  wire: Wire,
  what: string,
  names: readonly string[],
  read: readonly unknown[],
  reading: Reading,
  start = 0,
  others: readonly string[] = [],
): void {
  // by the members that there are: most things have two or three
  for (const name in wire) {
    if (!(forReaders.has(name) || others.includes(name)) || names.includes(name)) continue
    if (!isFilled(wire[name]) || isCountOfColumns(name, wire[name])) continue
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
