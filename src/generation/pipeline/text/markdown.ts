import type { WrittenBlock } from './section-schema.ts'

interface OpenList {
  ordered: boolean
  /** Its items are numbered by letters. */
  lettered: boolean
  items: string[]
  /** Spaces before its first item: what stands further in belongs to an item. */
  indent: number
}

const itemStart = /^(\s*)([-*+•·‣◦▪●]|\(?\d{1,3}\)|\d{1,3}\.|\(?[a-z]\)|[a-z]\.)\s+(\S.*)$/
const codeInOneLine = /^\s*```([^`]+)```\s*$/
const address = /^\s*\[[^\][]{1,60}\]:\s*<?https?:\/\//i
const note = /^\s*\[\^[^\][]{1,60}\]:\s*/

/** Whether a text may hold more than one paragraph of prose. */
export const hasMarkdown = (text: string): boolean =>
  /^\s{0,3}(#|[-*+•>] |>|\d{1,3}[.)] |```|~~~|\||\[|-{3}|\*{3}|_{3})|\n/m.test(text)

const bold = /^\s{0,3}\*\*([^*\n]+)\*\*:?\s*$/

/** The words of a bold line that ends no sentence, as models write headings; undefined of anything else. */
export function boldHeading(line: string): string | undefined {
  const words = bold.exec(line)?.[1]?.trim() ?? ''
  return words === '' || /[.!?…,;]$/.test(words) ? undefined : words
}

/**
 * What models write into a paragraph that is something else: Markdown of headings, lists, tables, quotes and code.
 *
 * @param divided whether a bold line may be a heading
 */
export function parseMarkdownBlocks(text: string, divided = true): WrittenBlock[] {
  const lines = text.split('\n')
  const below = wordsBelow(lines)
  const blocks: WrittenBlock[] = []
  let words: string[] = []
  const flush = () => {
    if (words.some((line) => line.trim() !== '')) blocks.push({ type: 'paragraph', text: words.join('\n') })
    words = []
  }
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const found =
      (divided && words.length === 0 ? boldAt(lines, at, below[at]) : undefined) ??
      blockAt(lines, at, words.length > 0)
    if (found !== undefined) {
      // A line of equal signs makes a heading of the one above it.
      if (found.underlines && words.length === 1)
        blocks.push({ type: 'subheading', text: words.splice(0).join('') })
      flush()
      if (found.block !== undefined) blocks.push(found.block)
      at = found.next
      continue
    }
    if (line.trim() === '') flush()
    else words.push(line.replace(note, ''))
    at += 1
  }
  flush()
  return blocks
}

interface FoundBlock {
  /** None where the line only divides, or names an address. */
  block?: WrittenBlock
  underlines?: boolean
  /** The line after it. */
  next: number
}

/** What begins at a line and is no paragraph; `amid`: in the line before stands one. */
function blockAt(lines: readonly string[], at: number, amid: boolean): FoundBlock | undefined {
  const line = lines[at] ?? ''
  const [, code] = codeInOneLine.exec(line) ?? []
  if (code !== undefined) return { block: { type: 'code', language: '', code: code.trim() }, next: at + 1 }
  const fence = fenceIn(line)
  if (fence !== undefined) return fenced(lines, at, fence)
  const bare = line.replace(/\s/g, '')
  if (/^(-{3,}|\*{3,}|_{3,}|={3,})$/.test(bare)) return { underlines: bare.startsWith('='), next: at + 1 }
  if (address.test(line)) return { next: at + 1 }
  // A single number sign amid a text may be anything.
  if ((amid ? /^\s{0,3}##{1,5}\s+\S/ : /^\s*#{1,6}\s/).test(line))
    return { block: { type: 'subheading', text: line.trim() }, next: at + 1 }
  if (/^\s{0,3}>/.test(line)) return quoted(lines, at)
  if (isTableAt(lines, at)) return tabled(lines, at)
  return listed(lines, at, amid)
}

/** The next line with words below each: looked for from each, they would be as many ways through the text as it has lines. */
function wordsBelow(lines: readonly string[]): (string | undefined)[] {
  const below: (string | undefined)[] = []
  let next: string | undefined
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    below[at] = next
    const line = lines[at] ?? ''
    if (line.trim() !== '') next = line
  }
  return below
}

/** A bold line above what is none. */
function boldAt(lines: readonly string[], at: number, below: string | undefined): FoundBlock | undefined {
  const text = boldHeading(lines[at] ?? '')
  return text === undefined || below === undefined || boldHeading(below) !== undefined
    ? undefined
    : { block: { type: 'subheading', text }, next: at + 1 }
}

interface Fence {
  mark: string
  language: string
}

/** Three of its marks or more, and the language behind them. */
function fenceIn(line: string): Fence | undefined {
  const bare = line.trim()
  const mark = ['```', '~~~'].find((one) => bare.startsWith(one))
  if (mark === undefined) return undefined
  const from = [...bare].findIndex((character) => character !== mark.charAt(0))
  const info = from === -1 ? '' : bare.slice(from).trim()
  return info.includes('`') ? undefined : { mark, language: info.split(/\s/)[0] ?? '' }
}

/** Up to its closing fence, or to the end where it has none. */
function fenced(lines: readonly string[], at: number, { mark, language }: Fence): FoundBlock {
  const from = at + 1
  let end = from
  while (end < lines.length && !lines[end]?.trim().startsWith(mark)) end += 1
  return { block: { type: 'code', language, code: lines.slice(from, end).join('\n') }, next: end + 1 }
}

function quoted(lines: readonly string[], at: number): FoundBlock {
  let next = at
  while (/^\s{0,3}>/.test(lines[next] ?? '')) next += 1
  const text = lines.slice(at, next).map((line) => line.replace(/^\s{0,3}>[>\s]*/, ''))
  return { block: { type: 'quote', text: text.join('\n').trim() }, next }
}

function tabled(lines: readonly string[], at: number): FoundBlock {
  let next = at
  while ((lines[next] ?? '').includes('|')) next += 1
  const [headers = [], ...rows] = lines
    .slice(at, next)
    .filter((line) => !isTableDelimiter(line))
    .map(tableCells)
  return { block: { type: 'table', headers, rows }, next }
}

/** Items that follow each other, blank lines between them or not. One number alone is a date, or a text. */
function listed(lines: readonly string[], at: number, amid: boolean): FoundBlock | undefined {
  let list: OpenList | undefined
  let next = at
  for (let index = at; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const [, space = '', mark = '', text = ''] = itemStart.exec(line) ?? []
    if (mark !== '' && numbers(mark, list)) {
      const ordered = /\w/.test(mark)
      list ??= { ordered, lettered: /[a-z]/.test(mark), items: [], indent: space.length }
      if (ordered !== list.ordered && space.length <= list.indent) break
      addItem(list, text, space.length > list.indent)
    } else if (list?.lettered && letterOf(mark) === 'a' && space.length <= list.indent) {
      break
    } else if (list !== undefined && /^\s{2,}\S/.test(line)) {
      list.items.push(`${list.items.pop() ?? ''} ${line.trim()}`)
    } else if (line.trim() !== '' || list === undefined) break
    if (line.trim() !== '') next = index + 1
  }
  if (list === undefined || (list.items.length === 1 && (list.ordered || amid))) return undefined
  const { ordered, items } = list
  return { block: { type: 'list', ordered, items }, next }
}

const letterOf = (mark: string): string | undefined => /[a-z]/.exec(mark)?.[0]

/** A single letter may begin a name: only those that follow each other number a list. */
function numbers(mark: string, list: OpenList | undefined): boolean {
  const letter = letterOf(mark)
  if (letter === undefined) return true
  const place = list === undefined ? 0 : list.lettered ? list.items.length : -1
  return letter === 'abcdefghijklmnopqrstuvwxyz'.charAt(place)
}

/** What stands further in would be counted in a list with numbers: there it goes on with its item. */
function addItem({ ordered, items }: OpenList, text: string, inner: boolean): void {
  const item = text.replace(/^\[[ xX]\]\s+/, '')
  if (!inner || !ordered || items.length === 0) {
    items.push(item)
    return
  }
  const before = items.pop() ?? ''
  items.push(`${before}${/[:;,.!?]$/.test(before.slice(-1)) ? '' : ';'} ${item}`)
}

/** Whether a line is what divides the head of a Markdown table from its rows: `|---|:-:|`. */
const isTableDelimiter = (line: string): boolean =>
  /^[\s|:-]+$/.test(line) && /-/.test(line) && /\|/.test(line)

/** Whether a table begins at this line: with its head, or with two lines in bars. */
function isTableAt(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = lines.slice(at, at + 2)
  if (!line.includes('|')) return false
  return isTableDelimiter(next) || (line.trim().startsWith('|') && next.trim().startsWith('|'))
}

/** Stands for a bar that is part of a cell. */
const ESCAPED_BAR = '\ue10a'

/** The cells of a line, without the bars around it; a bar behind a backslash is part of a cell. */
const tableCells = (line: string): string[] =>
  line
    .trim()
    .replaceAll('\\|', ESCAPED_BAR)
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => cell.trim().replaceAll(ESCAPED_BAR, '|'))

/** Elements that stand for themselves, as models write them into a text out of habit. */
const blockTag =
  /<(\/?)(p|div|h[1-6]|ul|ol|li|blockquote|br|hr|table|thead|tbody|tr|t[hd])(?:\s[^<>]{0,500})?\/?>/gi

/** Lists inside each other that are told apart: spaces for each level would make megabytes of a text of nothing but levels. */
const MAX_LIST_DEPTH = 10

const htmlComment = /<!--[^<>]{0,2000}-->/g

/** As Markdown, lines and all. What stands in code is left as it is. */
export const htmlToMarkdown = (text: string): string =>
  text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? piece : convertHtml(piece)))
    .join('`')

function convertHtml(piece: string): string {
  const text = piece.replace(htmlComment, '')
  if (!/<\/(?:p|div|h[1-6]|ul|ol|li|blockquote|t[hd])\s?>|<[bh]r\s?\/?>/i.test(text)) return text
  const lists: string[] = []
  let inCell = false
  return text.replace(blockTag, (_, slash: string, written: string) => {
    const name = written.toLowerCase()
    const closes = slash !== ''
    if (inCell && !/^t/.test(name)) return ' '
    if (name === 'ul' || name === 'ol') {
      if (closes) lists.pop()
      else lists.push(name)
      // Inside of another it goes on with that.
      return lists.length > (closes ? 0 : 1) ? '\n' : '\n\n'
    }
    const inner = '  '.repeat(Math.min(MAX_LIST_DEPTH, Math.max(0, lists.length - 1)))
    if (name === 'li') return closes ? '' : `\n${inner}${lists.at(-1) === 'ol' ? '1.' : '-'} `
    if (/^h[1-6]$/.test(name)) return closes ? '\n\n' : '\n\n## '
    if (name === 'tr') return closes ? '' : '\n| '
    if (name === 'td' || name === 'th') {
      inCell = !closes
      return closes ? ' | ' : ''
    }
    if (name === 'thead' || name === 'tbody') return ''
    // Within an item or a cell a paragraph is none of its own.
    if (lists.length > 0 && name === 'p') return ' '
    return name === 'br' ? '\n' : '\n\n'
  })
}
