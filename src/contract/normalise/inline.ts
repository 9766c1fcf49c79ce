import type { Inline } from '../tree.ts'
import { firstText, isWire, textOf, typeOf, type Wire } from './fields.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

type InlineReader = (wire: Wire, reading: Reading) => Inline[]

const readers = {
  text: (wire, reading) => withMarks(wire, readContent(wire, reading), reading),
  bold: (wire, reading) => bold(withMarks(wire, readContent(wire, reading), reading)),
  italic: (wire, reading) => italic(withMarks(wire, readContent(wire, reading), reading)),
  link: readLink,
  code: (wire, reading) => withMarks(wire, code(plainText(textOf(wire))), reading),
} satisfies Record<Inline['type'], InlineReader>

/** Other words for the five kinds: how a kind is marked is open (docs/contract.md). */
const names: ReadonlyMap<string, InlineReader> = new Map(
  Object.entries<InlineReader>({
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
  }),
)

/** Inline content however it is written: a string, a number, one item, or an array of any of these. */
export function readInlines(value: unknown, reading: Reading): Inline[] {
  if (!Array.isArray(value)) reading.countInline()
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  if (typeof value === 'number') return [{ type: 'text', text: String(value) }]
  if (Array.isArray(value)) return readAll(value, reading)
  if (!isWire(value)) return []
  const type = typeOf(value)
  if (type === undefined)
    return target(value) === undefined ? readers.text(value, reading) : readLink(value, reading)
  const read = names.get(type)
  if (read !== undefined) return read(value, reading)
  reading.warn('inline_unknown', `inline content of type "${type}" is not known; its text is kept`)
  return readInlines(textOf(value) ?? plainText(value), reading)
}

function readAll(values: readonly unknown[], reading: Reading): Inline[] {
  const inlines: Inline[] = []
  for (const value of values) for (const inline of readInlines(value, reading)) inlines.push(inline)
  return inlines
}

function readLink(wire: Wire, reading: Reading): Inline[] {
  const href = target(wire)
  const children = withFormats(wire, readContent(wire, reading))
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

const target = (wire: Wire): string | undefined =>
  wire.url === undefined && wire.href === undefined ? undefined : firstText(wire, ['url', 'href'])?.trim()

/** What stands inside an item; code is only its text, which is not read for formats first. */
const readContent = (wire: Wire, reading: Reading): Inline[] =>
  wire.code === true ? code(plainText(textOf(wire))) : readInlines(textOf(wire), reading)

/** Formats written as flags on an item: `{"text": "x", "bold": true}`. */
function withFormats(wire: Wire, children: Inline[]): Inline[] {
  const inner = wire.italic === true ? italic(children) : children
  return wire.bold === true ? bold(inner) : inner
}

/** The same, and an address, which any item may have: `{"text": "x", "url": "…"}`. */
function withMarks(wire: Wire, children: Inline[], reading: Reading): Inline[] {
  const inlines = withFormats(wire, children)
  const href = target(wire)
  return href === undefined
    ? inlines
    : [{ type: 'link', href: reading.address('url', href), children: inlines }]
}

const bold = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'bold', children }] : [])
const italic = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'italic', children }] : [])
const code = (text: string): Inline[] => (text === '' ? [] : [{ type: 'code', text }])
