import MarkdownIt, { type Token } from 'markdown-it'
import type { WrittenBlock } from './section-schema.ts'

/** Reads CommonMark and tables. Tags are read before it, and indented lines are no code: models indent for looks. */
export const markdown = new MarkdownIt().disable('code')
// Whether an address may be linked is decided by `Citations`, which compares it as it was written.
markdown.validateLink = () => true
markdown.normalizeLink = (url) => url

const bold = /^ {0,3}\*\*([^*\n]+)\*\*:?[ \t]*$/

/** The words of a bold line that ends no sentence, as models write headings; undefined of anything else. */
export function boldHeading(line: string): string | undefined {
  const words = bold.exec(line)?.[1]?.trim() ?? ''
  return words === '' || /[.!?…,;]$/.test(words) ? undefined : words
}

/** What models write into a paragraph. @param divided whether a bold line may be a heading */
export function parseMarkdownBlocks(text: string, divided = true): WrittenBlock[] {
  const lines = commonLines(text).split('\n')
  const complete = lines.map(
    (line, at) => (divided ? headingAt(lines, at) : undefined) ?? tableHeadAt(lines, at) ?? line,
  )
  return siblings(markdown.parse(complete.join('\n'), {})).flatMap(toWrittenBlock)
}

/** What models write otherwise than CommonMark has it: other points and numbers, and no empty line where one is needed. */
const commonLines = (text: string): string =>
  text
    .replace(/^([ \t]*)[•·‣◦▪●][ \t]+/gm, '$1- ')
    .replace(/^([ \t]*)\((\d{1,3})\)[ \t]/gm, '$1$2. ')
    .replace(/^ {0,3}\[\^[^\][\n]{1,60}\]:[ \t]*/gm, '')
    .replace(/^(?= {0,3}-{3,}[ \t]*$)/gm, '\n')
    .replace(/^([ \t]*(?:[-*+]|\d{1,3}[.)]) .*\n)(?=[^\s\d*+>#|-])/gm, '$1\n')

/** A bold line that begins a paragraph is a heading, where text and not another heading follows. */
function headingAt(lines: readonly string[], at: number): string | undefined {
  const heading = (lines[at - 1] ?? '').trim() === '' ? boldHeading(lines[at] ?? '') : undefined
  const next = lines.slice(at + 1, at + 4).find((line) => line.trim() !== '') ?? ''
  const isAbove = next !== '' && !next.startsWith('#') && boldHeading(next) === undefined
  return heading !== undefined && isAbove ? `### ${heading}\n` : undefined
}

/** The first of some lines in bars, with the line that should divide it from them. */
function tableHeadAt(lines: readonly string[], at: number): string | undefined {
  const [before = '', line = '', next = ''] = [lines[at - 1], lines[at], lines[at + 1]]
  const [isFirst, isDivided] = [!before.startsWith('|'), /^[\s|:-]+$/.test(next)]
  if (!line.startsWith('|') || !next.startsWith('|') || !isFirst || isDivided) return undefined
  return `${line}\n|${' --- |'.repeat(line.trim().replace(/\|$/, '').split('|').length - 1)}`
}

function siblings(tokens: readonly Token[]): Token[][] {
  const [first] = tokens
  const all: Token[][] = []
  for (const token of tokens)
    if (token.level === first?.level && token.nesting !== -1) all.push([token])
    else all.at(-1)?.push(token)
  return all
}

function toWrittenBlock(tokens: Token[]): WrittenBlock[] {
  const [token, ...inside] = tokens
  switch (token?.type) {
    case 'paragraph_open':
      return [{ type: 'paragraph', text: sourceOf(inside) }]
    case 'heading_open':
      return [{ type: 'subheading', text: sourceOf(inside) }]
    case 'blockquote_open':
      return [{ type: 'quote', text: sourceOf(inside) }]
    case 'fence':
      return [{ type: 'code', language: token.info.trim().split(/\s/, 1)[0] ?? '', code: token.content }]
    case 'bullet_list_open':
    case 'ordered_list_open':
      return [toList(token, siblings(inside.slice(0, -1)))]
    case 'table_open': {
      const rows = siblings(inside).flatMap((part) => siblings(part.slice(1, -1)).map(cellsOf))
      const [headers = [], ...below] = rows
      return [{ type: 'table', headers, rows: below }]
    }
    default:
      return []
  }
}

const sourceOf = (tokens: readonly Token[]): string =>
  tokens
    .filter(({ type }) => type === 'inline' || type === 'fence')
    .map(({ content }) => content)
    .join('\n')

const cellsOf = (row: Token[]): string[] =>
  row.filter(({ type }) => type === 'inline').map(({ content }) => content)

function toList(list: Token, items: Token[][]): WrittenBlock {
  const ordered = list.type === 'ordered_list_open'
  const texts = items.map(itemText)
  const start = list.attrGet('start')
  // `8. Mai 1945` is a date.
  if (texts.length === 1 && start !== null) return { type: 'paragraph', text: `${start}. ${texts[0]}` }
  return { type: 'list', ordered, items: texts.map((text) => text.replace(/^\[[ xX]\]\s/, '')) }
}

/** An item in one text, those within it behind semicolons. */
const itemText = ([item, ...inside]: Token[]): string =>
  inside.reduce((text, { type, level, content }) => {
    if (type !== 'inline' && type !== 'fence') return text
    const isNested = level > (item?.level ?? 0) + 2
    return `${text}${isNested && !/[.:;,!?]$/.test(text) ? ';' : ''} ${content}`.trim()
  }, '')
