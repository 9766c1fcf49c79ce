import type { Inline } from '../tree.ts'
import { blockTypeOf } from './block-type.ts'
import { firstText, isWire, textFields, textOf, typeOf, type Wire } from './fields.ts'
import { inlineTypeOf } from './inline-type.ts'
import { keptAsText } from './kept-as-text.ts'
import { sayPassedOver, textUnread } from './passed-over.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

/** Appends to what is read already: what lies deep inside is not copied once more for each level around it. */
type InlineReader = (wire: Wire, reading: Reading, read: Inline[]) => void

const readers = {
  text: readMarked,
  bold: (wire, reading, read) => append(read, bold(inside(wire, reading))),
  italic: (wire, reading, read) => append(read, italic(inside(wire, reading))),
  link: readLink,
  code: (wire, reading, read) => readMarked(wire, reading, read, true),
  break: (wire, reading, read) => {
    read.push(SPACE)
    if (textOf(wire) !== undefined) readContent(wire, reading, read)
  },
} satisfies Record<Inline['type'] | 'break', InlineReader>

const SPACE: Inline = { type: 'text', text: ' ' }

/** Inline content however it is written: a string, a number, one item, or an array of any of these. */
export function readInlines(value: unknown, reading: Reading): Inline[] {
  const read: Inline[] = []
  readInto(read, value, reading)
  return read
}

function readInto(read: Inline[], value: unknown, reading: Reading): void {
  if (!Array.isArray(value)) reading.countInline()
  if (typeof value === 'string') {
    if (value !== '') read.push({ type: 'text', text: value })
  } else if (typeof value === 'number') read.push({ type: 'text', text: String(value) })
  else if (Array.isArray(value)) readAll(read, value, reading)
  else if (value === true)
    reading.warn('inline_unknown', 'true stands where a text is expected; it is left out')
  else if (isWire(value)) readItem(read, value, reading)
}

function readItem(read: Inline[], wire: Wire, reading: Reading): void {
  const type = typeOf(wire)
  const known = type === undefined ? (target(wire) === undefined ? 'text' : 'link') : inlineTypeOf(type)
  if (known === undefined) readUnknown(wire, type as string, reading, read)
  else readers[known](wire, reading, read)
}

function readAll(read: Inline[], values: readonly unknown[], reading: Reading): void {
  let before: unknown
  for (const value of values) {
    if (areWordsApart(before, value)) read.push(SPACE)
    before = value
    readInto(read, value, reading)
  }
}

/** Two strings without a format between them are two texts, whose words do not run together. */
const areWordsApart = (before: unknown, after: unknown): boolean =>
  typeof before === 'string' &&
  typeof after === 'string' &&
  /[\p{L}\p{M}\p{N}.,:;!?)]$/u.test(before) &&
  /^[\p{L}\p{N}]/u.test(after) &&
  !withoutSpaces.test(before.slice(-1) + after.slice(0, 1))

/** Scripts in which words are not parted. */
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Items and cells that stand amid text; what is in them is read as such. */
const containers = /^(list_?)?item$|^li$|^(table_?)?(cell|header|row)$|^t[dhr]$/

/** A block amid text, whose words stand apart from those around it, or a kind that is not known. */
function readUnknown(wire: Wire, type: string, reading: Reading, read: Inline[]): void {
  const block = blockTypeOf(wire)
  const isContainer = containers.test(type)
  if (block === undefined)
    reading.warn('inline_unknown', `inline content of type "${type}" is not known; its text is kept`)
  else if (block !== 'paragraph') reading.warn('inline_unknown', keptAsText(block, 'amid text'))
  if (block === undefined && !isContainer) {
    readUnknownKind(wire, reading, read)
    return
  }
  const isText = block === 'paragraph' || block === 'heading' || (isContainer && wire.items === undefined)
  read.push(SPACE)
  if (isText) readContent(wire, reading, read)
  else readInto(read, plainText(wire), reading)
  read.push(SPACE)
}

function readUnknownKind(wire: Wire, reading: Reading, read: Inline[]): void {
  const before = read.length
  if (textOf(wire) === undefined)
    append(read, withMarks(wire, readInlines(plainText(wire), reading), reading))
  else readMarked(wire, reading, read)
  if (read.length === before) read.push(SPACE)
}

function readLink(wire: Wire, reading: Reading, read: Inline[]): void {
  const href = target(wire)
  if (href === undefined) {
    reading.warn('link_without_target', 'a link has no address; its text is kept')
    readMarked(wire, reading, read)
    return
  }
  const children = withFormats(wire, contentOf(wire, reading))
  append(read, linkTo(href, titleOf(wire), children, reading))
}

function linkTo(href: string, title: string | undefined, children: Inline[], reading: Reading): Inline[] {
  return [
    {
      type: 'link',
      href: reading.address('url', href),
      ...(title === undefined ? {} : { title: reading.line('title', title) }),
      children: children.every(isBlank) ? [{ type: 'text', text: href }] : children,
    },
  ]
}

const isBlank = (inline: Inline): boolean => inline.type === 'text' && inline.text.trim() === ''

/** The title of an address; where nothing else is text, it is the text. */
function titleOf(wire: Wire): string | undefined {
  if (wire.title === undefined || textOf(wire) === undefined) return undefined
  const title = plainText(wire.title)
  return title.trim() === '' ? undefined : title
}

const target = (wire: Wire): string | undefined =>
  wire.url === undefined && wire.href === undefined ? undefined : firstText(wire, ['url', 'href'])?.trim()

/** What stands inside an item; code is only its text, which is not read for formats first. */
function readContent(wire: Wire, reading: Reading, read: Inline[], isCode = wire.code === true): void {
  const start = read.length
  const text = textOf(wire) ?? readMisplaced(wire, reading)
  if (isCode) append(read, code(plainText(text)))
  else readInto(read, text, reading)
  if (hasSeveralTexts(wire)) readFurther(wire, text, reading, read, start)
  const hasTitle = wire.title !== undefined && target(wire) !== undefined
  const names = hasTitle ? namesWithAddress : textFields
  sayPassedOver(wire, 'inline content', names, read, reading, start)
}

function contentOf(wire: Wire, reading: Reading, isCode?: boolean): Inline[] {
  const read: Inline[] = []
  readContent(wire, reading, read, isCode)
  return read
}

/** The words of an item that has none where they are read, such as the name of `{"name": "Ada"}`. */
function readMisplaced(wire: Wire, reading: Reading): string {
  const text = textUnread(wire)
  if (text !== '')
    reading.warn('inline_unknown', 'the text of inline content is not where it is read; it is kept')
  return text
}

/** An address may have a title, which is read with it. */
const namesWithAddress = [...textFields, 'title']

const hasSeveralTexts = ({ text, value, content, children }: Wire): boolean =>
  Number(text !== undefined) +
    Number(value !== undefined) +
    Number(content !== undefined) +
    Number(children !== undefined) >
  1

/**
 * Content under a second name follows that under the first, unless it says the same: `{"text": "A", "children": ["B"]}`.
 * @param start where what was read of the item begins
 */
function readFurther(wire: Wire, first: unknown, reading: Reading, read: Inline[], start: number): void {
  for (const name of textFields) {
    const further = wire[name]
    // a number beside a text counts or identifies it
    if (further === first || (typeof further !== 'string' && !isObject(further))) continue
    if (reading.repeats(read, further, start)) continue
    reading.warn('inline_unknown', `inline content has a text under "${name}" too; it follows the other`)
    if (read.length > 0) read.push(SPACE)
    readInto(read, further, reading)
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const isMarked = (wire: Wire): boolean =>
  wire.bold === true || wire.italic === true || target(wire) !== undefined

/** Formats written as flags on an item: `{"text": "x", "bold": true}`. */
function withFormats(wire: Wire, children: Inline[]): Inline[] {
  const inner = wire.italic === true ? italic(children) : children
  return wire.bold === true ? bold(inner) : inner
}

/** The same, and an address, which any item may have: `{"text": "x", "url": "…"}`. */
function withMarks(wire: Wire, children: Inline[], reading: Reading): Inline[] {
  const inlines = withFormats(wire, children)
  const href = target(wire)
  return href === undefined ? inlines : linkTo(href, titleOf(wire), inlines, reading)
}

function readMarked(wire: Wire, reading: Reading, read: Inline[], isCode?: boolean): void {
  if (isMarked(wire)) append(read, inside(wire, reading, isCode))
  else readContent(wire, reading, read, isCode)
}

const inside = (wire: Wire, reading: Reading, isCode?: boolean): Inline[] =>
  withMarks(wire, contentOf(wire, reading, isCode), reading)

function append(read: Inline[], inlines: Inline[]): void {
  for (const inline of inlines) read.push(inline)
}

const bold = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'bold', children }] : [])
const italic = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'italic', children }] : [])
const code = (text: string): Inline[] => (text === '' ? [] : [{ type: 'code', text }])
