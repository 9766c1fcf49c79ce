import type { Block, Inline } from '../tree.ts'
import { blockType } from './block-types.ts'
import { firstTextMember, isWireObject, textFields, textMember, type WireObject, wireType } from './fields.ts'
import { inlineType, plainText } from './plain-text.ts'
import type { ReadingContext } from './reading.ts'
import { unreadText, warnUnread } from './unread-members.ts'

/** The warning about a block where only text may stand. Only the words of a file can be kept there. */
function keptAsTextMessage(type: Block['type'], place: string): string {
  if (type === 'image') return `a picture ${place} is left out, and its text is kept`
  if (type === 'audio') return `a recording ${place} is left out, and its text is kept`
  return `a ${type} ${place} is kept as its text`
}

/** Appends to `read`, so that deep content is not copied again at each level. */
type InlineReader = (wire: WireObject, reading: ReadingContext, read: Inline[]) => void

const readers = {
  text: readMarked,
  bold: (wire, reading, read) => appendInlines(read, bold(readContentInlines(wire, reading))),
  italic: (wire, reading, read) => appendInlines(read, italic(readContentInlines(wire, reading))),
  link: readLink,
  code: (wire, reading, read) => readMarked(wire, reading, read, true),
  break: (wire, reading, read) => {
    read.push(SPACE)
    if (textMember(wire) !== undefined) readContent(wire, reading, read)
  },
} satisfies Record<Inline['type'] | 'break', InlineReader>

const SPACE: Inline = { type: 'text', text: ' ' }

/** Reads inline content: a string, a number, one item, or an array of any of these. */
export function readInlines(value: unknown, reading: ReadingContext): Inline[] {
  const read: Inline[] = []
  readInto(read, value, reading)
  return read
}

function readInto(read: Inline[], value: unknown, reading: ReadingContext): void {
  if (!Array.isArray(value)) reading.countInline()
  if (typeof value === 'string') {
    if (value !== '') read.push({ type: 'text', text: value })
  } else if (typeof value === 'number') read.push({ type: 'text', text: String(value) })
  else if (Array.isArray(value)) readAll(read, value, reading)
  else if (value === true)
    reading.warn('inline_unknown', 'true stands where a text is expected; it is left out')
  else if (isWireObject(value)) readItem(read, value, reading)
}

function readItem(read: Inline[], wire: WireObject, reading: ReadingContext): void {
  const type = wireType(wire)
  const known = type === undefined ? (target(wire) === undefined ? 'text' : 'link') : inlineType(type)
  if (known === undefined) readUnknown(wire, type as string, reading, read)
  else readers[known](wire, reading, read)
}

function readAll(read: Inline[], values: readonly unknown[], reading: ReadingContext): void {
  let before: unknown
  for (const value of values) {
    if (areWordsApart(before, value)) read.push(SPACE)
    before = value
    readInto(read, value, reading)
  }
}

/** Two adjacent strings without a format between them are separate texts, whose words must not join. */
const areWordsApart = (before: unknown, after: unknown): boolean =>
  typeof before === 'string' &&
  typeof after === 'string' &&
  /[\p{L}\p{M}\p{N}.,:;!?)]$/u.test(before) &&
  /^[\p{L}\p{N}]/u.test(after) &&
  !withoutSpaces.test(before.slice(-1) + after.slice(0, 1))

/** Scripts that do not separate words. */
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Items and cells amid text; their content is read as text. */
const containers = /^(list_?)?item$|^li$|^(table_?)?(cell|header|row)$|^t[dhr]$/

/** Reads a block amid text, whose words are set apart, or an unknown kind. */
function readUnknown(wire: WireObject, type: string, reading: ReadingContext, read: Inline[]): void {
  const block = blockType(wire)
  const isContainer = containers.test(type)
  if (block === undefined)
    reading.warn('inline_unknown', `inline content of type "${type}" is not known; its text is kept`)
  else if (block !== 'paragraph') reading.warn('inline_unknown', keptAsTextMessage(block, 'amid text'))
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

function readUnknownKind(wire: WireObject, reading: ReadingContext, read: Inline[]): void {
  const before = read.length
  if (textMember(wire) === undefined)
    appendInlines(read, withMarks(wire, readInlines(plainText(wire), reading), reading))
  else readMarked(wire, reading, read)
  if (read.length === before) read.push(SPACE)
}

function readLink(wire: WireObject, reading: ReadingContext, read: Inline[]): void {
  const href = target(wire)
  if (href === undefined) {
    reading.warn('link_without_target', 'a link has no address; its text is kept')
    readMarked(wire, reading, read)
    return
  }
  const children = withFormats(wire, contentOf(wire, reading))
  appendInlines(read, linkTo(href, titleOf(wire), children, reading))
}

function linkTo(
  href: string,
  title: string | undefined,
  children: Inline[],
  reading: ReadingContext,
): Inline[] {
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

/** The title of an address; it is the text where there is no other. */
function titleOf(wire: WireObject): string | undefined {
  if (wire.title === undefined || textMember(wire) === undefined) return undefined
  const title = plainText(wire.title)
  return title.trim() === '' ? undefined : title
}

const target = (wire: WireObject): string | undefined =>
  wire.url === undefined && wire.href === undefined
    ? undefined
    : firstTextMember(wire, ['url', 'href'])?.trim()

/** Reads the content of an item. Code keeps only its text, without formats. */
function readContent(
  wire: WireObject,
  reading: ReadingContext,
  read: Inline[],
  isCode = wire.code === true,
): void {
  const start = read.length
  const text = textMember(wire) ?? readMisplaced(wire, reading)
  if (isCode) appendInlines(read, code(plainText(text)))
  else readInto(read, text, reading)
  if (hasSeveralTexts(wire)) readSecondContent(wire, text, reading, read, start)
  const hasTitle = wire.title !== undefined && target(wire) !== undefined
  const names = hasTitle ? namesWithAddress : textFields
  warnUnread(wire, 'inline content', names, read, reading, start)
}

function contentOf(wire: WireObject, reading: ReadingContext, isCode?: boolean): Inline[] {
  const read: Inline[] = []
  readContent(wire, reading, read, isCode)
  return read
}

/** The words of an item that has none in a known place, such as the name of `{"name": "Ada"}`. */
function readMisplaced(wire: WireObject, reading: ReadingContext): string {
  const text = unreadText(wire)
  if (text !== '')
    reading.warn('inline_unknown', 'the text of inline content is not where it is read; it is kept')
  return text
}

/** Names of text in an item with an address, which may have a title. */
const namesWithAddress = [...textFields, 'title']

const hasSeveralTexts = ({ text, value, content, children }: WireObject): boolean =>
  Number(text !== undefined) +
    Number(value !== undefined) +
    Number(content !== undefined) +
    Number(children !== undefined) >
  1

/**
 * Reads content under a second name after that under the first, unless it repeats it: `{"text": "A", "children":
 * ["B"]}`.
 * @param start where the content of this item begins in `read`
 */
function readSecondContent(
  wire: WireObject,
  first: unknown,
  reading: ReadingContext,
  read: Inline[],
  start: number,
): void {
  for (const name of textFields) {
    const further = wire[name]
    // A number beside a text is a count or an id.
    if (further === first || (typeof further !== 'string' && !isObject(further))) continue
    if (reading.repeats(read, further, start)) continue
    reading.warn('inline_unknown', `inline content has a text under "${name}" too; it follows the other`)
    if (read.length > 0) read.push(SPACE)
    readInto(read, further, reading)
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const isMarked = (wire: WireObject): boolean =>
  wire.bold === true || wire.italic === true || target(wire) !== undefined

/** Applies formats written as flags: `{"text": "x", "bold": true}`. */
function withFormats(wire: WireObject, children: Inline[]): Inline[] {
  const inner = wire.italic === true ? italic(children) : children
  return wire.bold === true ? bold(inner) : inner
}

/** Applies format flags and an address, which any item may have: `{"text": "x", "url": "…"}`. */
function withMarks(wire: WireObject, children: Inline[], reading: ReadingContext): Inline[] {
  const inlines = withFormats(wire, children)
  const href = target(wire)
  return href === undefined ? inlines : linkTo(href, titleOf(wire), inlines, reading)
}

function readMarked(wire: WireObject, reading: ReadingContext, read: Inline[], isCode?: boolean): void {
  if (isMarked(wire)) appendInlines(read, readContentInlines(wire, reading, isCode))
  else readContent(wire, reading, read, isCode)
}

const readContentInlines = (wire: WireObject, reading: ReadingContext, isCode?: boolean): Inline[] =>
  withMarks(wire, contentOf(wire, reading, isCode), reading)

function appendInlines(read: Inline[], inlines: Inline[]): void {
  for (const inline of inlines) read.push(inline)
}

const bold = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'bold', children }] : [])
const italic = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'italic', children }] : [])
const code = (text: string): Inline[] => (text === '' ? [] : [{ type: 'code', text }])

/** Splits an array into standalone parts and arrays of the inline content between them. */
export function groupInlineRuns(
  values: readonly unknown[],
  standsApart: (value: unknown) => boolean,
): unknown[] {
  const parts: unknown[] = []
  let run: unknown[] | undefined
  for (const value of values) {
    if (standsApart(value)) {
      parts.push(value)
      run = undefined
    } else if (run === undefined) {
      run = [value]
      parts.push(run)
    } else run.push(value)
  }
  return parts
}

const flattenedCodes = { 'list item': 'list_item_flattened', quote: 'quote_flattened' } as const

/** Reads a part of a block that cannot hold blocks. Any block but a paragraph is kept as its text, with a warning. */
export function flattenBlock(
  part: unknown,
  inside: keyof typeof flattenedCodes,
  reading: ReadingContext,
): Inline[] {
  const type = blockType(part)
  if (type === undefined || !isWireObject(part)) return readInlines(part, reading)
  if (type === 'paragraph' && textMember(part) !== undefined)
    return readInlines({ ...part, type: 'text' }, reading)
  reading.warn(flattenedCodes[inside], keptAsTextMessage(type, `inside a ${inside}`))
  return readInlines(plainText(part), reading)
}
