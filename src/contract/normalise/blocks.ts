import { excerptValue } from '../issues.ts'
import { LIMITS } from '../limits.ts'
import {
  type Audio,
  type Block,
  type CodeBlock,
  type Heading,
  type Inline,
  isVisible,
  type Quote,
} from '../tree.ts'
import { blockType, topLevelBlockType } from './block-types.ts'
import {
  citationFields,
  collapseToLine,
  displayedFields,
  firstMember,
  firstTextMember,
  isWireObject,
  textFields,
  textMember,
  type WireObject,
  wireType,
} from './fields.ts'
import { flattenBlock, groupInlineRuns, readInlines } from './inline.ts'
import { readList } from './list.ts'
import { containsAllWords, plainText } from './plain-text.ts'
import type { ReadingContext } from './reading.ts'
import { readTable } from './table.ts'
import { hasNoneOf, warnUnreadMembers } from './unread-members.ts'

/** Level as `2`, `"2"`, `"h2"` or by the type `h2`; text as a string or inline content. */
function readHeading(wire: WireObject, reading: ReadingContext): Heading[] {
  const anchor = firstTextMember(wire, ['anchor'])
  return [
    {
      type: 'heading',
      level: readLevel(wire, reading),
      content: readInlines(textMember(wire), reading),
      ...(anchor === undefined ? {} : { anchor: reading.line('anchor', anchor) }),
    },
  ]
}

function readLevel(wire: WireObject, reading: ReadingContext): Heading['level'] {
  const written = firstMember(wire, ['level']) ?? wireType(wire)
  const level = typeof written === 'string' ? Number(written.replace(/^h/i, '')) : written
  if (isLevel(level)) return level
  const nearest = typeof level === 'number' && level > 6 ? 6 : 2
  reading.warn(
    'heading_level',
    firstMember(wire, ['level']) === undefined
      ? `the heading has no level; ${nearest} is used`
      : `heading level ${excerptValue(wire.level)} is not 1 to 6; ${nearest} is used`,
  )
  return nearest
}

const isLevel = (level: unknown): level is Heading['level'] =>
  typeof level === 'number' && Number.isInteger(level) && level >= 1 && level <= 6

/** Inline content under any of its names. A picture amid the text becomes its own block between two paragraphs. */
function readParagraph(wire: WireObject, reading: ReadingContext): Block[] {
  const content = textMember(wire)
  const blocks: Block[] = []
  for (const [index, part] of groupInlineRuns(
    Array.isArray(content) ? content : [content],
    isPicture,
  ).entries()) {
    if (index > 0) reading.count()
    if (isPicture(part)) {
      const read = readImage(part, reading)
      warnUnreadMembers(part, 'image', read, reading)
      for (const block of read) blocks.push(block)
      continue
    }
    const run = readInlines(part, reading)
    if (run.length > 0) blocks.push({ type: 'paragraph', content: run })
  }
  return blocks.length > 0 ? blocks : [{ type: 'paragraph', content: [] }]
}

const isPicture = (value: unknown): value is WireObject => blockType(value) === 'image'

export const readAlternative = (wire: WireObject): string =>
  displayedFields.alternative.map((name) => plainText(wire[name])).find((text) => text.trim() !== '') ?? ''

/** A picture with its address under `url` or `src`. Without an address, its words become a paragraph. */
function readImage(wire: WireObject, reading: ReadingContext): Block[] {
  const url = firstTextMember(wire, ['url', 'src'])?.trim()
  const alt = reading.alternativeText('alt', collapseToLine(readAlternative(wire)))
  const caption = readInlines(firstMember(wire, ['caption']), reading)
  const imageType = firstTextMember(wire, ['image_type', 'imageType'])
  const title = collapseToLine(plainText(wire.title))
  if (url === undefined) {
    reading.warn('image_without_url', 'a picture has no address; its text is kept')
    const texts = [...new Set([alt, title])].filter((text) => text !== '')
    const contents = [...texts.map((text) => readInlines(text, reading)), caption]
    return contents.filter((content) => content.length > 0).map((content) => ({ type: 'paragraph', content }))
  }
  return [
    {
      type: 'image',
      url: reading.file('url', url),
      alt,
      ...(imageType === undefined ? {} : { imageType: reading.line('image_type', imageType) }),
      ...(caption.length > 0 ? { caption } : {}),
      ...(title === '' ? {} : { title: reading.line('title', title) }),
    },
  ]
}

/** Code under `value` or another name; an array has one line per entry. */
function readCodeBlock(wire: WireObject, reading: ReadingContext): CodeBlock[] {
  const value = firstMember(wire, displayedFields.code)
  const language = firstTextMember(wire, ['language', 'lang'])?.trim()
  return [
    {
      type: 'code_block',
      value: Array.isArray(value) ? value.map(plainText).join('\n') : plainText(value),
      ...(language === undefined ? {} : { language: reading.line('language', language) }),
    },
  ]
}

/** Paragraphs and a citation. A blank line inside a string separates two paragraphs. */
export function readQuote(wire: WireObject, reading: ReadingContext): Quote[] {
  const value = firstMember(wire, displayedFields.quoted)
  const parts = value === wire.paragraphs && Array.isArray(value) ? value : paragraphsOf(value)
  const paragraphs = parts.map((part) => {
    reading.count()
    return flattenBlock(part, 'quote', reading)
  })
  const citation = readCitation(wire, reading)
  return [{ type: 'quote', paragraphs, ...(citation.length > 0 ? { citation } : {}) }]
}

/** Splits a value into paragraphs. Inline content between others is one paragraph. */
function paragraphsOf(value: unknown): unknown[] {
  if (typeof value === 'string') return value.split(/\n\s*\n/, LIMITS.blocks + 1)
  if (!Array.isArray(value)) return [value]
  if (value.every((part) => typeof part === 'string')) return value
  return groupInlineRuns(value, (part) => Array.isArray(part) || blockType(part) !== undefined)
}

/** Joins several members to one citation. An address beside a name becomes its link. */
function readCitation(wire: WireObject, reading: ReadingContext): Inline[] {
  let citation: Inline[] = []
  for (const name of citationFields) {
    const more = readInlines(wire[name], reading)
    if (more.length === 0 || containsAllWords(plainText(citation), plainText(more))) continue
    const value = wire[name]
    if (citation.length === 0) citation = more
    else if (typeof value === 'string' && isAddress.test(value))
      citation = [{ type: 'link', href: reading.address(name, value.trim()), children: citation }]
    else citation = [...citation, { type: 'text', text: ', ' }, ...more]
  }
  return citation
}

/** As in the HTML attribute `cite`. */
const isAddress = /^\s*https?:\/\/\S+\s*$/i

type BlockReader = (wire: WireObject, reading: ReadingContext) => Block[]

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
    return audio ? [audio] : readUnknownBlock(wire, reading)
  },
} satisfies Record<Block['type'], BlockReader>

/** Where a block of each type may have its text. Where all are missing, any text is elsewhere. */
const contentFields: Readonly<Record<Block['type'], readonly string[]>> = {
  heading: textFields,
  paragraph: textFields,
  list: ['items', ...textFields],
  table: ['rows', 'body', 'headers', 'header', 'head', ...textFields],
  code_block: ['code', ...textFields],
  image: [],
  quote: ['paragraphs', ...textFields],
  audio: [],
}

/** Reads one entry of `content.content`. */
export function readBlock(value: unknown, reading: ReadingContext): Block[] {
  if (typeof value === 'string') return [{ type: 'paragraph', content: readInlines(value, reading) }]
  const type = topLevelBlockType(value)
  if (type === undefined || !isWireObject(value)) return readUnknownBlock(value, reading)
  const blocks = readers[type](value, reading)
  if (hasNoneOf(value, contentFields[type]) && !blocks.some(isVisible)) {
    const text = plainText(value).trim()
    if (text !== '') return readBlockText(text, reading)
  }
  warnUnreadMembers(value, type, blocks, reading)
  return blocks
}

/** Reads text of a known block type that is not in a known place. */
function readBlockText(text: string, reading: ReadingContext): Block[] {
  reading.warn(
    'block_unknown',
    'its text is not where that of such a block is read; it is kept as a paragraph',
  )
  return [{ type: 'paragraph', content: readInlines(text, reading) }]
}

/** Keeps an unknown block as its text or as a link to its address, with a warning. */
function readUnknownBlock(value: unknown, reading: ReadingContext): Block[] {
  const type = wireType(value)
  const name = type === undefined ? 'a block without a type' : `a block of type "${type}"`
  const text = plainText(value).trim()
  const href = isWireObject(value) ? firstTextMember(value, ['url', 'src', 'href']) : undefined
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

/** Narration under `audio`, as its URL or an object, or under `audio_url`. */
export function readAudio(wire: WireObject, reading: ReadingContext): Audio | undefined {
  const { audio } = wire
  const url =
    (isWireObject(audio) ? firstTextMember(audio, ['url', 'src']) : firstTextMember(wire, ['audio'])) ??
    firstTextMember(wire, ['audio_url'])
  return url === undefined ? undefined : { type: 'audio', url: reading.file('audio', url.trim()) }
}
