import MarkdownIt, { type StateCore, type Token } from 'markdown-it'
import footnotes from 'markdown-it-footnote'
import { LimitError } from '../contract/limits.ts'
import { percentDecoded } from '../contract/payload.ts'
import { excerpt } from '../lib/text.ts'
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
    return { meta, content, warnings: [...warnings.list, ...found] }
  },
}

/** Lists and quotes inside each other, two levels for each list. Of what is deeper the parser keeps nothing. */
const MAX_NESTING = 100

const parser = new MarkdownIt({ html: true, linkify: true }).use(footnotes).use(markdownMath)
// The name of a file is no address, and which addresses may be linked is for the reader of HTML to say.
parser.linkify.set({ fuzzyLink: false })
parser.validateLink = () => true
parser.core.ruler.after('block', 'notes', keepNotes)
parser.core.ruler.after('inline', 'tasks', markTasks)
parser.core.ruler.after('inline', 'anchors', nameHeadings)
parser.core.ruler.after('inline', 'alerts', markAlerts)
parser.renderer.rules.footnote_block_open = () => '<section class="footnotes"><ol>'

// What other kinds of Markdown mean by signs, not longer than takes no time to find.
const containers = /^:::.*|^[!?]{3}\+? .*|^=== ".*|^\+[-=+:]{3,200}\+$/.source // and tabs, tables of lines
const definitions = /^:[ \t]{1,3}\S.*|^\*\[[^\]\n]{1,99}\]:.*/.source // and abbreviations
const templates = /\{\{.{1,199}?\}\}|\{%.{1,199}?%\}|%%[^%]{1,199}%%/.source // and shortcodes, comments
const wikiLinks = /\[\[[^\]\n]{1,99}\]\]|\[@[\w:-]{1,60}[^\]\n]{0,99}\]|\[\^\d{1,4}\]/.source // and lost notes
const marks = /==[^\s=][^=\n]{0,199}==|\^[^\s^[\]]{1,40}\^|(?:^|[^~\w])~[^\s~]{1,40}~(?!~)/.source
const brokenFormulas = /\$\$[^$\n]{0,99}|\\begin\{[a-z*]{1,30}\}/.source // by a blank line
const emoji = /(?:^|\s):[a-z][a-z_]{1,40}:(?!\S)/.source
const mdx = /^(?:import|export) .*|^\{[^{}\n]{1,99}\}$|<[A-Z][\w.]{0,40}(?: [^>]{0,199})?>/.source
const attributes =
  /\{#[\w:-]{1,60}[^{}\n]{0,99}\}|\{[:.][\w .:-][^{}\n]{0,99}\}|\{[\w-]{1,40}="?[^{}\n]{1,99}\}/.source
const foreignSign = new RegExp(
  `${containers}|${definitions}|${templates}|${wikiLinks}|${marks}|${brokenFormulas}|${emoji}|${mdx}|${attributes}`,
  'gm',
)

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
  const environment: { footnotes?: { refs?: Readonly<Record<string, number>> }; replaced?: string[] } = {}
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
  const refs = environment.footnotes?.refs ?? {}
  for (const line of lines) {
    const [note, name] = /^[\s>*+-]*\[\^([^\]\s]+)\]:.*/.exec(line) ?? []
    if (note === undefined || (refs[`:${name}`] ?? 0) >= 0) continue
    warnings?.leftOut(
      `Nothing refers to a footnote, which is left out: “${excerpt(note.replace(/^[\s>*+-]+/, ''), 80)}”.`,
    )
  }
  for (const note of environment.replaced ?? [])
    warnings?.leftOut(`A footnote is left out because a later one has the same name: “${excerpt(note, 80)}”.`)
  return parser.renderer.render(tokens, parser.options, environment)
}

/** Keeps the notes whose name a later one has: the parser does not. */
function keepNotes({ tokens, env }: StateCore): void {
  const notes = new Map<string, string>()
  const replaced: string[] = []
  env.replaced = replaced
  for (const [index, { type, meta }] of tokens.entries()) {
    if (type !== 'footnote_reference_open') continue
    const name = `[^${meta?.label}]`
    const earlier = notes.get(name)
    const note = `${name}: ${tokens[index + 2]?.content ?? ''}`
    notes.set(name, note)
    if (earlier !== undefined && earlier !== note) replaced.push(earlier)
  }
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

/** Names headings by their words, as GitHub does, where a link leads there; or as `{#name}` behind them says. */
function nameHeadings({ tokens }: StateCore): void {
  const links = tokens.flatMap(({ children }) => children?.filter(({ type }) => type === 'link_open') ?? [])
  const linked = new Set(links.map((link) => percentDecoded(String(link.attrGet('href') ?? ''))))
  const names = new Map<string, number>()
  for (const [index, { type, children }] of tokens.entries()) {
    const heading = tokens[index - 1]
    if (type !== 'inline' || children === null || heading?.type !== 'heading_open') continue
    const last = children.at(-1)
    const [sign, own] = (last?.type === 'text' && /\s?\{#([\w-]{1,60})\}\s*$/.exec(last.content)) || []
    if (last && sign) last.content = last.content.slice(0, -sign.length)
    const words = children.map(({ content }) => content).join('')
    const slug = words
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const before = names.get(slug) ?? 0
    names.set(slug, before + 1)
    const name = own ?? (before === 0 ? slug : `${slug}-${before}`)
    if (own !== undefined || linked.has(`#${name}`)) heading.attrSet('id', name)
  }
}

/** A quote that begins with `[!NOTE]` is what GitHub calls an alert, and Obsidian a callout, with a title behind the sign. */
function markAlerts({ tokens }: StateCore): void {
  /** Of the open quotes, the innermost last, whether each is an alert. */
  const open: boolean[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'blockquote_open') open.push(markAlert(token, tokens[index + 2]))
    else if (token.type === 'blockquote_close' && open.pop()) token.tag = 'div'
  }
}

function markAlert(quote: Token, text: Token | undefined): boolean {
  const [first] = text?.children ?? []
  const [sign, kind = ''] =
    (first?.type === 'text' && /^\[!([a-z][\w-]{0,30})\][+-]?\s*/i.exec(first.content)) || []
  if (text?.type !== 'inline' || text.children === null || first === undefined || sign === undefined)
    return false
  first.content = first.content.slice(sign.length)
  const end = text.children.findIndex(({ type }) => type.endsWith('break'))
  const title = text.children.splice(0, end === -1 ? text.children.length : end + 1)
  quote.tag = 'div'
  quote.attrSet('class', `markdown-alert markdown-alert-${kind.toLowerCase()}`)
  const words = title.map(({ content }) => content).join('')
  quote.attrSet('data-title', words.trim())
  return true
}
