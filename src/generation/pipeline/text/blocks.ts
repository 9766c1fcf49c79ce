import type { WireBlock, WireInline } from '../../../contract/generation/results.ts'
import { languageIndependentStarts } from '../sentences.ts'
import { type Citations, cleanLine, cleanText, parseInlines, plainText } from './inlines.ts'
import { boldHeading, parseMarkdownBlocks } from './markdown.ts'
import { blocksOfHtml, type SectionAnswer, sectionSchema, type WrittenBlock } from './section-schema.ts'

export interface PartFrame {
  heading: string
  divided: boolean
  citations: Citations
  /** Where quotations may come from, {@link normalisedWords}: what was read, and what the client wrote. */
  quotable: string
}

const MAX_HEADING_LENGTH = 150

export const toBlocks = (answer: SectionAnswer, frame: PartFrame): WireBlock[] =>
  dropEmptyHeadings(
    answer.blocks
      .map((block, at, all) => (frame.divided ? promoteBoldLine(block, all[at + 1]) : block))
      .flatMap((block) => expandParagraph(block, frame))
      .flatMap((block) => toBlock(block, frame)),
  )

export function dropTruncatedEnd(answer: SectionAnswer): SectionAnswer {
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

function promoteBoldLine(block: WrittenBlock, next: WrittenBlock | undefined): WrittenBlock {
  const heading = block.type === 'paragraph' ? boldHeading(block.text) : undefined
  if (heading === undefined || next === undefined || next.type === 'subheading') return block
  const isHeading = next.type === 'paragraph' && boldHeading(next.text) !== undefined
  return isHeading ? block : { type: 'subheading', text: heading }
}

/** What models write into a paragraph that is something else: Markdown, or HTML. */
function expandParagraph(block: WrittenBlock, { divided }: PartFrame): WrittenBlock[] {
  if (block.type !== 'paragraph') return [block]
  const text = unescapedLines(cleanText(block.text))
  return blocksOfHtml(text) ?? parseMarkdownBlocks(text, divided)
}

/** Line breaks that were escaped twice; a single one may be what the text is about. */
const unescapedLines = (text: string): string =>
  /\\n(?:\\n|[-*#] |\d{1,3}\. )/.test(text) ? text.replaceAll('\\n', '\n') : text

const item = /^\s{0,3}(?:[-*+•]|\d{1,3}[.)])\s+/

/** An item that has more of them in it, by Markdown's marks, is several. */
const itemsIn = (text: string): string[] =>
  text.split(/\n(?=\s{0,6}[-*+•] )/).map((one) => one.replace(item, ''))

function unfencedCode(block: WrittenBlock & { type: 'code' }): WrittenBlock & { type: 'code' } {
  const [only, ...more] = /^\s*(```|~~~)/.test(block.code) ? parseMarkdownBlocks(block.code.trim()) : []
  return only?.type === 'code' && more.length === 0
    ? { ...only, language: only.language || block.language }
    : block
}

function toBlock(block: WrittenBlock, frame: PartFrame): WireBlock[] {
  switch (block.type) {
    case 'paragraph':
      return paragraph(block.text, frame)
    case 'subheading':
      return subheading(block.text, frame)
    case 'list': {
      const items = block.items
        .flatMap(itemsIn)
        .map((text) => plainText(text, frame.citations))
        .filter(Boolean)
      return items.length > 0 ? [{ type: 'list', ordered: block.ordered, items }] : []
    }
    case 'table':
      return table(block, frame)
    case 'code': {
      const { code, language: named } = unfencedCode(block)
      const value = cleanText(code.replace(/\t/g, '  ')).replace(/^\n+/, '').trimEnd()
      const language = /^[\w+#.-]{1,30}$/.test(named.trim()) ? named.trim().toLowerCase() : ''
      return value === '' ? [] : [{ type: 'code_block', language, value }]
    }
    case 'quote': {
      const value = plainText(block.text.replace(/^\s{0,3}>\s?/gm, ''), frame.citations)
      return isQuoted(value, frame.quotable) ? [{ type: 'quote', value }] : paragraph(block.text, frame)
    }
  }
}

function paragraph(text: string, { citations }: PartFrame): WireBlock[] {
  const content = parseInlines(text, citations)
  return content.some((inline) => inline.text.trim() !== '') ? [{ type: 'paragraph', content }] : []
}

function subheading(text: string, frame: PartFrame): WireBlock[] {
  const [first = '', ...rest] = text.trim().split('\n')
  const heading = cleanHeading(first, frame.citations)
  const below = rest.length > 0 ? paragraph(rest.join(' '), frame) : []
  if (heading === undefined) return [...paragraph(first, frame), ...below]
  return frame.divided && heading !== '' && heading.toLowerCase() !== frame.heading.toLowerCase()
    ? [{ type: 'heading', level: 3, text: heading }, ...below]
    : below
}

/** The words of a heading, without marks and numbers of Markdown; undefined where they are a text. */
export function cleanHeading(text: string, citations: Citations): string | undefined {
  const heading = cleanLine(plainText(text, citations))
    .replace(/^#+\s+/, '')
    .replace(/[:.]$/, '')
    .trim()
  return heading.length > MAX_HEADING_LENGTH ? undefined : heading
}

function table({ headers, rows }: WrittenBlock & { type: 'table' }, { citations }: PartFrame): WireBlock[] {
  const words = (cells: readonly string[]) => cells.map((cell) => plainText(cell, citations))
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
  const words = normalisedWords(value)
  return words !== '' && quotable.includes(words)
}

/** The words of a text alone, by which one is found in another. */
export const normalisedWords = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** A heading with nothing below it, up to the next, is none, nor is one that the part had before. */
const dropEmptyHeadings = (blocks: readonly WireBlock[]): WireBlock[] => {
  const used = new Set<string>()
  return blocks.filter((block, at) => {
    if (block.type !== 'heading') return true
    const next = blocks[at + 1]
    const words = normalisedWords(block.text)
    if (next === undefined || next.type === 'heading' || used.has(words)) return false
    used.add(words)
    return true
  })
}

/** Openings of headings that teach or sum up, which a report does not do. */
const teachingHeading =
  /^(?:how to|how do|why you|what you|step|tips?|ways to|introduction|conclusion|summary|overview|key takeaways?|takeaways?|faqs?|final thoughts|fazit|einleitung|zusammenfassung|conclusiones|conclusión|introducción)\b/i

/** A crosshead as it may stand in a report; empty where it asks, counts or teaches. */
export const cleanNewsHeading = (heading: string): string =>
  /[?？؟]$/.test(heading) || /^\d+[.):]/.test(heading) || teachingHeading.test(heading) ? '' : heading

/** Characters of a paragraph of news, beyond which it is divided: some 70 words. */
const MAX_NEWS_PARAGRAPH = 450

export const splitLongParagraphs = (blocks: readonly WireBlock[]): WireBlock[] =>
  blocks.flatMap((block) => (block.type === 'paragraph' ? splitParagraph(block) : [block]))

function splitParagraph(block: WireBlock & { type: 'paragraph' }): WireBlock[] {
  const length = (inlines: readonly WireInline[]) => inlines.reduce((all, { text }) => all + text.length, 0)
  if (length(block.content) <= MAX_NEWS_PARAGRAPH) return [block]
  let last: WireInline[] = []
  const paragraphs = [last]
  for (const inline of block.content) {
    const starts = [0, ...(inline.type === 'text' ? languageIndependentStarts(inline.text) : [])]
    for (const [at, start] of starts.entries()) {
      const end = last.at(-1)
      if (at > 0 && end !== undefined && length(last) > MAX_NEWS_PARAGRAPH / 2) {
        end.text = end.text.trimEnd()
        last = []
        paragraphs.push(last)
      }
      last.push({ ...inline, text: inline.text.slice(start, starts[at + 1]) })
    }
  }
  return paragraphs.map((content) => ({ type: 'paragraph', content }))
}
