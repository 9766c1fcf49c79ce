import type { Block } from '../tree.ts'
import { readAudio } from './audio.ts'
import { readCodeBlock } from './code-block.ts'
import { firstText, isWire, typeOf, type Wire } from './fields.ts'
import { readHeading } from './heading.ts'
import { readImage } from './image.ts'
import { readInlines } from './inline.ts'
import { readList } from './list.ts'
import { listTypes } from './list-type.ts'
import { readParagraph } from './paragraph.ts'
import { plainText } from './plain-text.ts'
import { readQuote } from './quote.ts'
import type { Reading } from './reading.ts'
import { readTable } from './table.ts'

type BlockReader = (wire: Wire, reading: Reading) => Block[]

const readers = {
  heading: readHeading,
  paragraph: readParagraph,
  list: readList,
  table: readTable,
  code_block: readCodeBlock,
  image: readImage,
  quote: readQuote,
  audio: (wire, reading) => {
    const audio = readAudio({ audio: wire }, reading)
    return audio ? [audio] : readUnknown(wire, reading)
  },
} satisfies Record<Block['type'], BlockReader>

/** Other words for the types: how a type is marked is open (docs/contract.md). */
const names: Readonly<Record<string, BlockReader>> = {
  ...readers,
  ...Object.fromEntries(Object.keys(listTypes).map((name) => [name, readList])),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, readHeading])),
  p: readParagraph,
  text: readParagraph,
  code: readCodeBlock,
  codeblock: readCodeBlock,
  picture: readImage,
  blockquote: readQuote,
}

/** One entry of `content.content`, as the blocks it stands for. */
export function readBlock(value: unknown, reading: Reading): Block[] {
  if (typeof value === 'string') return [{ type: 'paragraph', content: readInlines(value, reading) }]
  const type = typeOf(value)
  if (isWire(value) && type !== undefined && Object.hasOwn(names, type))
    return names[type]?.(value, reading) ?? []
  return readUnknown(value, reading)
}

/** What is not understood is kept as its text, or as a link to its address, and said. */
function readUnknown(value: unknown, reading: Reading): Block[] {
  const type = typeOf(value)
  const name = type === undefined ? 'a block without a type' : `a block of type "${type}"`
  const text = plainText(value).trim()
  const href = isWire(value) ? firstText(value, ['url', 'src', 'href']) : undefined
  if (text === '' && href === undefined) {
    reading.warn('block_unknown', `${name} is not known and has no text; it is left out`)
    return []
  }
  reading.warn('block_unknown', `${name} is not known; its text is kept as a paragraph`)
  if (href !== undefined) reading.address('url', href)
  const shown = readInlines(text === '' ? href : text, reading)
  return [
    { type: 'paragraph', content: href === undefined ? shown : [{ type: 'link', href, children: shown }] },
  ]
}
