import MarkdownIt, { type StateCore, type Token } from 'markdown-it'
import footnotes from 'markdown-it-footnote'
import { LimitError } from '../contract/limits.ts'
import { excerpt } from '../lib/text.ts'
import type { Running, WireBlock } from './foreign.ts'
import { type FormatAdapter, FormatWarnings } from './format.ts'
import { readFrontMatter } from './front-matter.ts'
import { readHtml } from './html.ts'
import { markdownMath } from './markdown-math.ts'

/**
 * GitHub Flavored Markdown, with front matter in YAML. It is read through its HTML: the HTML that stands in it then begins and
 * ends around Markdown as it does in a browser.
 */
export const markdown: FormatAdapter = {
  name: 'markdown',
  detect: (value) => typeof value === 'string',
  read(value) {
    const warnings = new FormatWarnings()
    const { meta, body } = readFrontMatter(String(value), warnings)
    const { content, warnings: found } = readHtml(markdownToHtml(body, warnings))
    warnOfForeignSigns(body, warnings)
    return { meta, content: (content as WireBlock[]).map(withAlert), warnings: [...warnings.all(), ...found] }
  },
}

/** Lists and quotes inside each other, two levels for each list. Of what is deeper the parser keeps nothing. */
const MAX_NESTING = 100

const parser = new MarkdownIt({ html: true, linkify: true }).use(footnotes).use(markdownMath)
// The name of a file is no address, and which addresses may be linked is for the reader of HTML to say.
parser.linkify.set({ fuzzyLink: false })
parser.validateLink = () => true
parser.core.ruler.after('inline', 'tasks', markTasks)
parser.renderer.rules.footnote_block_open = () => '<section class="footnotes"><ol>'

/** What other kinds of Markdown mean by signs, not longer than takes no time to find: marks, containers, shortcodes, links of a wiki, emoji, abbreviations, MDX. */
const foreignSign =
  /^:::.*|^\*\[[^\]\n]{1,99}\]:.*|\{\{.{1,199}?\}\}|\{%.{1,199}?%\}|\[\[[^\]\n]{1,99}\]\]|==[^\s=][^=\n]{0,199}==|\^[^\s^[\]]{1,40}\^|(?:^|[^~\w])~[^\s~]{1,40}~(?!~)|(?:^|\s):[a-z][a-z_]{1,40}:(?!\S)|^(?:import|export) .*|^\{[^{}\n]{1,99}\}$|\{#[\w-]{1,60}\}|<[A-Z][\w.]{0,40}(?: [^>]{0,199})?>/gm

const MAX_SIGNS = 5

/** Says the first signs that a text has of other kinds of Markdown, outside its code. */
export function warnOfForeignSigns(text: string, warnings: FormatWarnings): void {
  if (text.search(foreignSign) === -1) return
  const found = parser
    .parse(text, {})
    .filter(({ type }) => type === 'inline' || type === 'html_block')
    .flatMap((token) => wordsOf(token).match(foreignSign) ?? [])
  const signs = new Set(found.map((sign) => sign.trim()))
  const shown = [...signs].slice(0, MAX_SIGNS).map((sign) => `“${excerpt(sign, 60)}”`)
  if (shown.length > 0)
    warnings.leftOut(`Signs of other kinds of Markdown are not understood: ${shown.join(', ')}.`)
}

/** Text without its code and formulas. */
const wordsOf = ({ content, children }: Token): string =>
  children === null
    ? content
    : children
        .map(({ type, content: words }) =>
          type.endsWith('break') ? '\n' : type === 'code_inline' || type === 'math_inline' ? '' : words,
        )
        .join('')

/** @throws LimitError `document_too_deep` */
export function markdownToHtml(text: string, warnings?: FormatWarnings): string {
  const environment: { footnotes?: { refs?: Readonly<Record<string, number>> } } = {}
  const tokens = parser.parse(text, environment)
  if (tokens.some(({ level }) => level >= MAX_NESTING - 1)) throw new LimitError('document_too_deep')
  const lines = text.split(/\r\n?|\n/)
  if (warnings) warnOfExtraCells(lines, tokens, warnings)
  for (const { type, info } of tokens) {
    if (type !== 'fence' || !/\S\s+\S/.test(info)) continue
    const message = `What stands with the language of code is left out: “${excerpt(info.trim(), 80)}”.`
    // Lines to highlight are no words.
    warnings?.[/["'=]/.test(info) ? 'leftOut' : 'note'](message)
  }
  const unused = Object.entries(environment.footnotes?.refs ?? {}).filter(([, id]) => id < 0)
  for (const [name] of unused) {
    const label = `[^${name.slice(1)}]:`
    const note = lines.find((line) => line.trimStart().startsWith(label)) ?? label
    warnings?.leftOut(`Nothing refers to a footnote, which is left out: “${excerpt(note.trim(), 80)}”.`)
  }
  return parser.renderer.render(tokens, parser.options, environment)
}

/** Cells beyond the width of the head, of which the parser keeps nothing. */
function warnOfExtraCells(lines: readonly string[], tokens: readonly Token[], warnings: FormatWarnings) {
  let width = 0
  for (const { type, map } of tokens) {
    if (type === 'table_open') width = 0
    else if (type === 'th_open') width += 1
    else if (type === 'tr_open' && width > 0 && map) {
      const row = (lines[map[0]] ?? '').replaceAll('\\|', '¦').replace(/^[\s>]*\|?/, '')
      const extra = row.split('|').slice(width).join(' ').trim()
      if (extra !== '')
        warnings.leftOut(
          `A row of a table is wider than its head, and is cut: “${excerpt(extra, 80)}” is left out.`,
        )
    }
  }
}

/** The formats of one running text; what begins a block is a sign like any other. */
export const inlineMarkdownToHtml = (text: string): string => parser.renderInline(text, {})

/** `[x]` at the beginning of an item of a list is a box. */
function markTasks({ tokens, Token }: StateCore): void {
  for (const [index, { type, children }] of tokens.entries()) {
    const first = children?.[0]
    const isFirst = type === 'inline' && tokens[index - 2]?.type === 'list_item_open'
    const [sign] = (isFirst && first?.type === 'text' && /^\[[ x]\](?=\s)/i.exec(first.content)) || []
    if (first === undefined || sign === undefined) continue
    const box = new Token('html_inline', '', 0)
    box.content = `<input type="checkbox"${sign === '[ ]' ? '' : ' checked'}>`
    first.content = first.content.slice(sign.length)
    children?.unshift(box)
  }
}

/** A quote that begins with `[!NOTE]` is what GitHub calls an alert. */
function withAlert(block: WireBlock): WireBlock {
  if (block.type !== 'quote' || !Array.isArray(block.content)) return block
  const [first, ...rest] = block.content as WireBlock[]
  if (first?.type !== 'paragraph') return block
  const running = first.content as string | Running
  const [start, ...items] = typeof running === 'string' ? [running] : running
  const found = typeof start === 'string' && /^\[!(note|tip|important|warning|caution)\]\s*/i.exec(start)
  if (!found) return block
  const [sign, kind = ''] = found
  const left = [found.input.slice(sign.length), ...items].filter((item) => item !== '')
  const content = [...(left.length > 0 ? [{ ...first, content: left }] : []), ...rest]
  return { type: 'callout', kind: kind.toLowerCase(), content }
}
