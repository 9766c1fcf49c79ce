import type { Inline } from '../tree.ts'
import { blockTypeOf } from './block-type.ts'
import { firstText, isWire, textOf, typeOf, type Wire } from './fields.ts'
import { inlineTypeOf } from './inline-type.ts'
import { textUnread } from './passed-over.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

type InlineReader = (wire: Wire, reading: Reading) => Inline[]

const readers = {
  text: (wire, reading) => withMarks(wire, readContent(wire, reading), reading),
  bold: (wire, reading) => bold(withMarks(wire, readContent(wire, reading), reading)),
  italic: (wire, reading) => italic(withMarks(wire, readContent(wire, reading), reading)),
  link: readLink,
  code: (wire, reading) => withMarks(wire, code(plainText(textOf(wire))), reading),
  break: () => [{ type: 'text', text: ' ' }],
} satisfies Record<Inline['type'] | 'break', InlineReader>

/** Inline content however it is written: a string, a number, one item, or an array of any of these. */
export function readInlines(value: unknown, reading: Reading): Inline[] {
  if (!Array.isArray(value)) reading.countInline()
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  if (typeof value === 'number') return [{ type: 'text', text: String(value) }]
  if (Array.isArray(value)) return readAll(value, reading)
  if (value === true) reading.warn('inline_unknown', 'true stands where a text is expected; it is left out')
  if (!isWire(value)) return []
  const type = typeOf(value)
  if (type === undefined)
    return target(value) === undefined ? readers.text(value, reading) : readLink(value, reading)
  const known = inlineTypeOf(type)
  return known === undefined ? readUnknown(value, type, reading) : readers[known](value, reading)
}

function readAll(values: readonly unknown[], reading: Reading): Inline[] {
  const inlines: Inline[] = []
  let before: unknown
  for (const value of values) {
    if (areWordsApart(before, value)) inlines.push({ type: 'text', text: ' ' })
    before = value
    for (const inline of readInlines(value, reading)) inlines.push(inline)
  }
  return inlines
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
function readUnknown(wire: Wire, type: string, reading: Reading): Inline[] {
  const block = blockTypeOf(wire)
  if (block === 'paragraph') return apart(readContent(wire, reading))
  reading.warn('inline_unknown', `inline content of type "${type}" is not known; its text is kept`)
  if (block === 'heading' || (containers.test(type) && wire.items === undefined))
    return apart(readContent(wire, reading))
  if (block !== undefined || containers.test(type)) return apart(readInlines(plainText(wire), reading))
  const inlines = withMarks(wire, readInlines(textOf(wire) ?? plainText(wire), reading), reading)
  return inlines.length > 0 ? inlines : readers.break()
}

const apart = (inlines: Inline[]): Inline[] => [...readers.break(), ...inlines, ...readers.break()]

function readLink(wire: Wire, reading: Reading): Inline[] {
  const href = target(wire)
  const children = withFormats(wire, readContent(wire, reading))
  if (href === undefined) {
    reading.warn('link_without_target', 'a link has no address; its text is kept')
    return children
  }
  const title = textOf(wire) === undefined ? undefined : firstText(wire, ['title'])
  return linkTo(href, title, children, reading)
}

function linkTo(href: string, title: string | undefined, children: Inline[], reading: Reading): Inline[] {
  return [
    {
      type: 'link',
      href: reading.address('url', href),
      ...(title === undefined ? {} : { title: reading.line('title', title) }),
      children: children.length > 0 ? children : [{ type: 'text', text: href }],
    },
  ]
}

const target = (wire: Wire): string | undefined =>
  wire.url === undefined && wire.href === undefined ? undefined : firstText(wire, ['url', 'href'])?.trim()

/** What stands inside an item; code is only its text, which is not read for formats first. */
function readContent(wire: Wire, reading: Reading): Inline[] {
  const text = textOf(wire)
  if (text === undefined) return readMisplaced(wire, reading)
  return wire.code === true ? code(plainText(text)) : readInlines(text, reading)
}

/** The words of an item that has none where they are read, such as the name of `{"name": "Ada"}`. */
function readMisplaced(wire: Wire, reading: Reading): Inline[] {
  const text = textUnread(wire)
  if (text === '') return []
  reading.warn('inline_unknown', 'the text of inline content is not where it is read; it is kept')
  return readInlines(text, reading)
}

/** Formats written as flags on an item: `{"text": "x", "bold": true}`. */
function withFormats(wire: Wire, children: Inline[]): Inline[] {
  const inner = wire.italic === true ? italic(children) : children
  return wire.bold === true ? bold(inner) : inner
}

/** The same, and an address, which any item may have: `{"text": "x", "url": "…"}`. */
function withMarks(wire: Wire, children: Inline[], reading: Reading): Inline[] {
  const inlines = withFormats(wire, children)
  const href = target(wire)
  return href === undefined ? inlines : linkTo(href, undefined, inlines, reading)
}

const bold = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'bold', children }] : [])
const italic = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'italic', children }] : [])
const code = (text: string): Inline[] => (text === '' ? [] : [{ type: 'code', text }])
