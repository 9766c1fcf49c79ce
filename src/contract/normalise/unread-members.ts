import type { Block } from '../tree.ts'
import {
  citationFields,
  displayedFields,
  firstMemberName,
  isCountOfColumns,
  listFields,
  textFields,
  type WireObject,
} from './fields.ts'
import { plainText } from './plain-text.ts'
import type { ReadingContext } from './reading.ts'

/** Members that hold human-readable text on any object. */
const humanReadableMembers: ReadonlySet<string> = new Set([
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

/** Displayed members by block type: the first present name of each row is read. */
const displayedByType: Readonly<Record<Block['type'], readonly (readonly string[])[]>> = {
  heading: [textFields],
  paragraph: [textFields],
  list: [displayedFields.items],
  table: [displayedFields.rows, displayedFields.header, ['caption']],
  code_block: [displayedFields.code],
  image: [displayedFields.alternative, ['caption'], ['title']],
  quote: [displayedFields.quoted, ...citationFields.map((name) => [name])],
  audio: [],
}

/** Warns of members of a block whose words were not read. Most blocks exit early. */
export function warnUnreadMembers(
  wire: WireObject,
  type: Block['type'],
  read: readonly Block[],
  reading: ReadingContext,
): void {
  if (!hasSeveral(wire, type)) return
  const names = displayedByType[type].map((alternatives) => firstMemberName(wire, alternatives) ?? '')
  warnUnread(wire, `this ${type}`, names, read, reading, 0, displayedByType[type].flat())
}

const namesShown: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(displayedByType).map(([type, rows]) => [type, new Set(rows.flat())]),
)

/** Whether a block has more members than the one it shows. Cheap, as it runs for every block. */
function hasSeveral(wire: WireObject, type: Block['type']): boolean {
  const ofType = namesShown.get(type)
  let count = 0
  for (const name in wire) {
    if (ofType?.has(name)) count += 1
    else if (humanReadableMembers.has(name)) return true
  }
  return count > 1
}

/**
 * @param read what was read of the members `names`, from `start` on
 * @param others further members that hold text on this object
 */
export function warnUnread(
  wire: WireObject,
  what: string,
  names: readonly string[],
  read: readonly unknown[],
  reading: ReadingContext,
  start = 0,
  others: readonly string[] = [],
): void {
  // Iterates over the members present: most objects have two or three.
  for (const name in wire) {
    if (!(humanReadableMembers.has(name) || others.includes(name)) || names.includes(name)) continue
    if (!isFilled(wire[name]) || isCountOfColumns(name, wire[name])) continue
    if (!reading.repeats(read, wire[name], start))
      reading.warn('text_left_out', `the "${name}" of ${what} is not read, and its text is left out`)
  }
}

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && typeof value !== 'boolean'

export const hasNoneOf = (wire: WireObject, names: readonly string[]): boolean =>
  names.every((name) => wire[name] === undefined || wire[name] === null)

/** The text of an object without a text member; empty where it has one. */
export const unreadText = (wire: WireObject): string =>
  hasNoneOf(wire, textFields) ? plainText(wire).trim() : ''
