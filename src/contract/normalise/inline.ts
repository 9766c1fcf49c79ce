import type { Inline } from '../tree.ts'
import { first, firstText, isWire, textFields, typeOf, type Wire } from './fields.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

type InlineReader = (wire: Wire, reading: Reading) => Inline[]

const content = (wire: Wire): unknown => first(wire, textFields)

const readers = {
  text: (wire, reading) => withMarks(wire, readInlines(content(wire), reading)),
  bold: (wire, reading) => bold(withMarks(wire, readInlines(content(wire), reading))),
  italic: (wire, reading) => italic(withMarks(wire, readInlines(content(wire), reading))),
  link: readLink,
  code: (wire) => withMarks(wire, code(plainText(content(wire)))),
} satisfies Record<Inline['type'], InlineReader>

/** Other words for the five kinds of spec.md, which does not show how a kind is marked. */
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
  const children = withMarks(
    { ...wire, url: undefined, href: undefined },
    readInlines(content(wire), reading),
  )
  if (href === undefined) {
    reading.warn('link_without_target', 'a link has no address; its text is kept')
    return children
  }
  const title = firstText(wire, ['title'])
  return [
    {
      type: 'link',
      href,
      ...(title === undefined ? {} : { title }),
      children: children.length > 0 ? children : [{ type: 'text', text: href }],
    },
  ]
}

const target = (wire: Wire): string | undefined => firstText(wire, ['url', 'href'])?.trim()

/** Formats written as flags on an item: `{"text": "x", "bold": true}`. */
function withMarks(wire: Wire, children: Inline[]): Inline[] {
  let inlines = children
  if (wire.code === true) inlines = code(plainText(content(wire)))
  if (wire.italic === true) inlines = italic(inlines)
  if (wire.bold === true) inlines = bold(inlines)
  const href = target(wire)
  return href === undefined ? inlines : [{ type: 'link', href, children: inlines }]
}

const bold = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'bold', children }] : [])
const italic = (children: Inline[]): Inline[] => (children.length > 0 ? [{ type: 'italic', children }] : [])
const code = (text: string): Inline[] => (text === '' ? [] : [{ type: 'code', text }])
