import type { Inline } from '../tree.ts'
import { first, firstText, isWire, textFields, typeOf, type Wire } from './fields.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

type InlineReader = (wire: Wire, reading: Reading) => Inline[]

const content = (wire: Wire): unknown => first(wire, textFields)

const readers = {
  text: (wire, reading) => withMarks(wire, readContent(wire, reading), reading),
  bold: (wire, reading) => bold(withMarks(wire, readContent(wire, reading), reading)),
  italic: (wire, reading) => italic(withMarks(wire, readContent(wire, reading), reading)),
  link: readLink,
  code: (wire, reading) => withMarks(wire, code(plainText(content(wire))), reading),
} satisfies Record<Inline['type'], InlineReader>

/** Other words for the five kinds: how a kind is marked is open (docs/contract.md). */
const names: Readonly<Record<string, InlineReader>> = {
  ...readers,
  strong: readers.bold,
  b: readers.bold,
  em: readers.italic,
  emphasis: readers.italic,
  i: readers.italic,
  a: readers.link,
  inline_code: readers.code,
  code_inline: readers.code,
  line_break: () => [{ type: 'text', text: ' ' }],
  hard_break: () => [{ type: 'text', text: ' ' }],
  br: () => [{ type: 'text', text: ' ' }],
}

/** Inline content however it is written: a string, a number, one item, or an array of any of these. */
export function readInlines(value: unknown, reading: Reading): Inline[] {
  if (!Array.isArray(value)) reading.countInline()
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  if (typeof value === 'number') return [{ type: 'text', text: String(value) }]
  if (Array.isArray(value)) return value.flatMap((item) => readInlines(item, reading))
  if (!isWire(value)) return []
  const type = typeOf(value)
  if (type === undefined)
    return target(value) === undefined ? readers.text(value, reading) : readLink(value, reading)
  if (Object.hasOwn(names, type)) return names[type]?.(value, reading) ?? []
  reading.warn('inline_unknown', `inline content of type "${type}" is not known; its text is kept`)
  return readInlines(content(value) ?? plainText(value), reading)
}

function readLink(wire: Wire, reading: Reading): Inline[] {
  const href = target(wire)
  const unlinked = { ...wire, url: undefined, href: undefined }
  const children = withMarks(unlinked, readContent(wire, reading), reading)
  if (href === undefined) {
    reading.warn('link_without_target', 'a link has no address; its text is kept')
    return children
  }
  const title = firstText(wire, ['title'])
  return [
    {
      type: 'link',
      href: reading.address('url', href),
      ...(title === undefined ? {} : { title: reading.line('title', title) }),
      children: children.length > 0 ? children : [{ type: 'text', text: href }],
    },
  ]
}

const target = (wire: Wire): string | undefined => firstText(wire, ['url', 'href'])?.trim()

/** What stands inside an item; code is only its text, which is not read for formats first. */
const readContent = (wire: Wire, reading: Reading): Inline[] =>
  wire.code === true ? code(plainText(content(wire))) : readInlines(content(wire), reading)

/** Formats written as flags on an item: `{"text": "x", "bold": true}`. */
function withMarks(wire: Wire, children: Inline[], reading: Reading): Inline[] {
  let inlines = children
  if (wire.italic === true) inlines = italic(inlines)
  if (wire.bold === true) inlines = bold(inlines)
  const href = target(wire)
  return href === undefined
    ? inlines
    : [{ type: 'link', href: reading.address('url', href), children: inlines }]
}

const bold = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'bold', children }] : [])
const italic = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'italic', children }] : [])
const code = (text: string): Inline[] => (text === '' ? [] : [{ type: 'code', text }])
