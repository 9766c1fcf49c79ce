import type { Block } from '../../../contract/generation/results.ts'
import type { Citations } from './citations.ts'
import { cleanLine, cleanText } from './clean.ts'
import { markdownOfHtml } from './html.ts'
import { inlinesOf, plainOf } from './inlines.ts'
import { blocksInMarkdown, hasMarkdown, headingInBold } from './markdown.ts'
import { type SectionAnswer, sectionSchema, type WrittenBlock } from './section-schema.ts'

/** What stands around a part, which decides what may stand in it. */
export interface Frame {
  /** The heading above it; empty where there is none. */
  heading: string
  /** Whether it may be divided by headings of its own. */
  divided: boolean
  citations: Citations
  /** Where quotations may come from, {@link comparable}: what was read, and what the client wrote. */
  quotable: string
}

/** Characters of a heading, beyond which it is a text. */
const LONGEST_HEADING = 150

/** A model's section as blocks of a document, with nothing empty in it. */
export const blocksOf = (answer: SectionAnswer, frame: Frame): Block[] =>
  withoutIdleHeadings(
    answer.blocks
      .map((block, at, all) => (frame.divided ? asHeading(block, all[at + 1]) : block))
      .flatMap((block) => taken(block, frame))
      .flatMap((block) => made(block, frame)),
  )

/** Without its last words, where those were cut off: to the end of the last sentence, or without its last block. */
export function withoutCutEnd(answer: SectionAnswer): SectionAnswer {
  const last = answer.blocks.at(-1)
  const before = answer.blocks.slice(0, -1)
  const end = last?.type === 'paragraph' ? lastEnd(last.text) : 0
  const blocks =
    last?.type === 'paragraph' && end > 0 ? [...before, { ...last, text: last.text.slice(0, end) }] : before
  const result = sectionSchema.safeParse({ blocks })
  return result.success ? result.data : answer
}

/** A full stop within a number or a name ends nothing. */
const lastEnd = (text: string): number =>
  [...text.matchAll(/[.!?]["”»’)]?(?=\s|$)|[。！？؟।…]/gu)].reduce(
    (_, { index, 0: end }) => index + end.length,
    0,
  )

/** A bold line alone, above what is no heading. */
function asHeading(block: WrittenBlock, next: WrittenBlock | undefined): WrittenBlock {
  const heading = block.type === 'paragraph' ? headingInBold(block.text) : undefined
  if (heading === undefined || next === undefined || next.type === 'subheading') return block
  const isHeading = next.type === 'paragraph' && headingInBold(next.text) !== undefined
  return isHeading ? block : { type: 'subheading', text: heading }
}

/** What models write into a paragraph that is something else: Markdown, or HTML. */
function taken(block: WrittenBlock, { divided }: Frame): WrittenBlock[] {
  if (block.type !== 'paragraph') return [block]
  const text = markdownOfHtml(unescapedLines(block.text))
  return hasMarkdown(text) ? blocksInMarkdown(text, divided) : [{ ...block, text }]
}

/** Line breaks that were escaped twice; a single one may be what the text is about. */
const unescapedLines = (text: string): string =>
  /\\n(?:\\n|[-*#] |\d{1,3}\. )/.test(text) ? text.replaceAll('\\n', '\n') : text

const item = /^\s{0,3}(?:[-*+•]|\d{1,3}[.)])\s+/

/** An item that has more of them in it, by Markdown's marks, is several. */
const itemsIn = (text: string): string[] =>
  text.split(/\n(?=\s{0,6}[-*+•] )/).map((one) => one.replace(item, ''))

/** The code in a fence, where a model put one around it. */
function unfenced(block: WrittenBlock & { type: 'code' }): WrittenBlock & { type: 'code' } {
  const [only, ...more] = /^\s*(```|~~~)/.test(block.code) ? blocksInMarkdown(block.code.trim()) : []
  return only?.type === 'code' && more.length === 0
    ? { ...only, language: only.language || block.language }
    : block
}

function made(block: WrittenBlock, frame: Frame): Block[] {
  switch (block.type) {
    case 'paragraph':
      return paragraph(block.text, frame)
    case 'subheading':
      return subheading(block.text, frame)
    case 'list': {
      const items = block.items
        .flatMap(itemsIn)
        .map((text) => plainOf(text, frame.citations))
        .filter(Boolean)
      return items.length > 0 ? [{ type: 'list', ordered: block.ordered, items }] : []
    }
    case 'table':
      return table(block, frame)
    case 'code': {
      const { code, language: named } = unfenced(block)
      const value = cleanText(code.replace(/\t/g, '  ')).replace(/^\n+/, '').trimEnd()
      const language = /^[\w+#.-]{1,30}$/.test(named.trim()) ? named.trim().toLowerCase() : ''
      return value === '' ? [] : [{ type: 'code_block', language, value }]
    }
    case 'quote': {
      const value = plainOf(block.text.replace(/^\s{0,3}>\s?/gm, ''), frame.citations)
      return isQuoted(value, frame.quotable) ? [{ type: 'quote', value }] : paragraph(block.text, frame)
    }
  }
}

function paragraph(text: string, { citations }: Frame): Block[] {
  const content = inlinesOf(text, citations)
  return content.some((inline) => inline.text.trim() !== '') ? [{ type: 'paragraph', content }] : []
}

/** What stands in place of a heading and is a text becomes one. */
function subheading(text: string, frame: Frame): Block[] {
  const [first = '', ...rest] = text.trim().split('\n')
  const heading = headingOf(first, frame.citations)
  const below = rest.length > 0 ? paragraph(rest.join(' '), frame) : []
  if (heading === undefined) return [...paragraph(first, frame), ...below]
  return frame.divided && heading !== '' && heading.toLowerCase() !== frame.heading.toLowerCase()
    ? [{ type: 'heading', level: 3, text: heading }, ...below]
    : below
}

/** The words of a heading, without marks and numbers of Markdown; undefined where they are a text. */
export function headingOf(text: string, citations: Citations): string | undefined {
  const heading = cleanLine(plainOf(text, citations))
    .replace(/^#+\s+/, '')
    .replace(/[:.]$/, '')
    .trim()
  return heading.length > LONGEST_HEADING ? undefined : heading
}

function table({ headers, rows }: WrittenBlock & { type: 'table' }, { citations }: Frame): Block[] {
  const words = (cells: readonly string[]) => cells.map((cell) => plainOf(cell, citations))
  const all = rows.map(words).filter((row) => row.some(Boolean))
  const width = Math.max(headers.length, ...all.map((row) => row.length))
  const wide = (row: string[]) => [...row, ...Array<string>(width - row.length).fill('')]
  const heads = words(headers)
  return all.length > 0
    ? [{ type: 'table', headers: heads.some(Boolean) ? wide(heads) : [], rows: all.map(wide) }]
    : []
}

/** A quotation is what somebody said: where nobody is known to have, it is a text like another. */
function isQuoted(value: string, quotable: string): boolean {
  const words = comparable(value)
  return words !== '' && quotable.includes(words)
}

/** The words of a text alone, by which one is found in another. */
export const comparable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** A heading with nothing below it, up to the next, is none, nor is one that the part had before. */
const withoutIdleHeadings = (blocks: readonly Block[]): Block[] => {
  const used = new Set<string>()
  return blocks.filter((block, at) => {
    if (block.type !== 'heading') return true
    const next = blocks[at + 1]
    const words = comparable(block.text)
    if (next === undefined || next.type === 'heading' || used.has(words)) return false
    used.add(words)
    return true
  })
}
