import type { Block } from '../tree.ts'
import { readAudio } from './audio.ts'
import { outerTypeOf } from './block-type.ts'
import { readCodeBlock } from './code-block.ts'
import { firstText, isWire, textFields, typeOf, type Wire } from './fields.ts'
import { readHeading } from './heading.ts'
import { readImage } from './image.ts'
import { readInlines } from './inline.ts'
import { readList } from './list.ts'
import { readParagraph } from './paragraph.ts'
import { lacks, sayBlockPassedOver } from './passed-over.ts'
import { plainText } from './plain-text.ts'
import { readQuote } from './quote.ts'
import type { Reading } from './reading.ts'
import { hasSubstance } from './substance.ts'
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

/** Where a block may have its words: one in which all of these are missing has them elsewhere, if it has any. */
const contents: Readonly<Record<Block['type'], readonly string[]>> = {
  heading: textFields,
  paragraph: textFields,
  list: ['items', ...textFields],
  table: ['rows', 'body', 'headers', 'header', 'head', ...textFields],
  code_block: ['code', ...textFields],
  image: [],
  quote: ['paragraphs', ...textFields],
  audio: [],
}

/** One entry of `content.content`, as the blocks it stands for. */
export function readBlock(value: unknown, reading: Reading): Block[] {
  if (typeof value === 'string') return [{ type: 'paragraph', content: readInlines(value, reading) }]
  const type = outerTypeOf(value)
  if (type === undefined || !isWire(value)) return readUnknown(value, reading)
  const blocks = readers[type](value, reading)
  if (lacks(value, contents[type]) && !blocks.some(hasSubstance)) {
    const text = plainText(value).trim()
    if (text !== '') return readMisplaced(text, reading)
  }
  sayBlockPassedOver(value, type, blocks, reading)
  return blocks
}

/** The text of a block of a known type that stands where none is read. */
function readMisplaced(text: string, reading: Reading): Block[] {
  reading.warn(
    'block_unknown',
    'its text is not where that of such a block is read; it is kept as a paragraph',
  )
  return [{ type: 'paragraph', content: readInlines(text, reading) }]
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
