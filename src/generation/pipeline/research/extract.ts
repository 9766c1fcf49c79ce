import { Readability } from '@mozilla/readability'
import { escapeUTF8 } from 'entities'
import { Parser } from 'htmlparser2'
import { parseHTML } from 'linkedom'
import { stripTags, truncate } from '../../../lib/text.ts'
import type { FetchedPage } from './fetch-page.ts'

export type PageText = Pick<FetchedPage, 'text' | 'isHtml'>

export interface Article {
  title: string
  text: string
  published?: string | undefined
}

/** Characters of a page that are kept: some 1,500 words, of which a question can hold several. */
const MAX_TEXT_LENGTH = 9_000
const MAX_TITLE_LENGTH = 300

/** The article of a page as plain text, a paragraph on each line; empty where there is none. */
export function extractArticle({ text, isHtml }: PageText): Article {
  if (!isHtml) return { title: oneLine(text.trim().split('\n', 1)[0] ?? ''), text: tidyText(text) }
  const { document } = parseHTML(sanitiseHtml(text))
  const title = document.title
  const article = new Readability<string>(document as never, {
    serializer: (node) => textOf(node as TreeNode),
  }).parse()
  return {
    title: oneLine(article?.title || title),
    text: tidyText(article?.content ?? ''),
    published: article?.publishedTime || undefined,
  }
}

const blocks = new Set(
  'P DIV LI TR TABLE UL OL DL DT DD PRE BLOCKQUOTE SECTION ARTICLE FIGURE FIGCAPTION BR H1 H2 H3 H4 H5 H6'.split(
    ' ',
  ),
)

interface TreeNode {
  nodeType: number
  nodeName: string
  nodeValue: string | null
  childNodes: Iterable<TreeNode>
}

const TEXT_NODE = 3

/** The text of a node, a line for each block and for each row of a table. As deep as `sanitiseHtml` lets it be. */
function textOf(node: TreeNode): string {
  if (node.nodeType === TEXT_NODE) return (node.nodeValue ?? '').replace(/\s/g, ' ')
  const inner = [...node.childNodes].map(textOf).join(node.nodeName === 'TR' ? ' ' : '')
  return blocks.has(node.nodeName) ? `\n${inner}\n` : inner
}

const tidyText = (text: string): string =>
  truncate(
    text
      .split('\n')
      .map(oneSpaced)
      .filter((line) => line !== '')
      .join('\n'),
    MAX_TEXT_LENGTH,
  )

const oneLine = (text: string): string => truncate(oneSpaced(text), MAX_TITLE_LENGTH)

/** Characters that nobody sees, in which sentences for a model can hide; the joiners that scripts need stay. */
const invisibleCharacters =
  /[\p{Cc}\p{Cs}\p{Co}\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu

const oneSpaced = (text: string): string =>
  text
    .split(/\s/)
    .map((word) => word.replace(invisibleCharacters, ''))
    .filter(Boolean)
    .join(' ')

/** Elements inside each other. What is deeper keeps its text: a parser that recurses would otherwise overflow its stack. */
const MAX_DEPTH = 100
/** Open elements, behind which only text is kept: each end tag looks through all (1 MB of `<i></b>` took 16 s). */
const MAX_OPEN = 2_000
/** Elements of a page that is read; real articles have some hundreds, and their pages some thousands. */
const MAX_ELEMENTS = 8_000
const MAX_CHARACTERS = 600_000
const MAX_ATTRIBUTE_LENGTH = 500

const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
/** What a reader does not see, or cannot read. A script of `application/ld+json` is data: when the page was published. */
const droppedElements = new Set(
  'script style noscript template svg math iframe object embed canvas audio video picture form select button dialog textarea input link base'.split(
    ' ',
  ),
)
const keptAttributes = new Set(
  'class content datetime dir href id itemprop lang name property rel role type'.split(' '),
)
/** Ways of a style to show nothing; spaces are taken out before. */
const hidingStyles =
  /display:none|visibility:hidden|opacity:0(?![.\d])|font-size:0(?![.\d])|(?:left|top|text-indent):-\d{3}|clip:rect\(0|color:transparent/

/** What every page has, and what is in its head, is put in its place again: a parser takes whatever is first for the root. */
const documentElements = new Set('html head body frameset'.split(' '))

interface OpenElement {
  name: string
  /** Whether its tag is written; of what is too deep only the text is. */
  written: boolean
  hidden: boolean
}

/** Closes and limits elements, and drops what readers do not see: instructions for models are put there. */
export function sanitiseHtml(html: string): string {
  const head: string[] = []
  const body: string[] = []
  let out = body
  const open: OpenElement[] = []
  let length = 0
  let elements = 0
  let hidden = 0
  let depth = 0
  /** Where the rest of a page begins that is nested too deep to be parsed. */
  let textFrom: number | undefined

  const write = (text: string) => {
    out.push(text)
    length += text.length
    if (length >= MAX_CHARACTERS) parser.pause()
  }
  const begin = (name: string, attributes: Attributes) => {
    const isData = name === 'script' && attributes.type === 'application/ld+json'
    const isHidden = (droppedElements.has(name) && !isData) || isHiddenBy(attributes)
    const isSeen = hidden === 0 && !isHidden && !documentElements.has(name) && plainName.test(name)
    const written = isSeen && depth < MAX_DEPTH && elements < MAX_ELEMENTS
    open.push({ name, written, hidden: isHidden })
    if (open.length >= MAX_OPEN) {
      textFrom = parser.endIndex + 1
      parser.pause()
    }
    if (isHidden) hidden += 1
    if (!written) return
    elements += 1
    depth += 1
    if (inHead(name)) out = head
    const kept = Object.entries(attributes).filter(([key]) => keptAttributes.has(key))
    write(`<${name}${kept.map(attributeText).join('')}>`)
  }
  const close = () => {
    const last = open.pop()
    if (last?.hidden) hidden -= 1
    if (!last?.written) return
    depth -= 1
    if (!voidElements.has(last.name)) out.push(`</${last.name}>`)
    if (inHead(last.name)) out = body
  }
  const text = (said: string) => {
    if (hidden === 0)
      write(open.at(-1)?.name === 'script' ? said.replaceAll('<', '\\u003c') : escapeUTF8(said))
  }
  const parser: Parser = new Parser({ onopentag: begin, onclosetag: close, ontext: text })
  parser.end(html)
  if (textFrom !== undefined) text(oneSpaced(stripTags(html.slice(textFrom, textFrom + MAX_CHARACTERS), ' ')))
  while (open.length > 0) close()
  return `<!doctype html><html><head>${head.join('')}</head><body>${body.join('')}</body></html>`
}

type Attributes = Readonly<Record<string, string>>

const plainName = /^[a-z][a-z0-9-]{0,30}$/

const inHead = (name: string): boolean => name === 'title' || name === 'meta' || name === 'script'

const isHiddenBy = ({ hidden, 'aria-hidden': ariaHidden, style = '' }: Attributes): boolean =>
  hidden !== undefined ||
  ariaHidden === 'true' ||
  hidingStyles.test(style.slice(0, MAX_ATTRIBUTE_LENGTH).toLowerCase().replace(/\s/g, ''))

const attributeText = ([name, value]: [string, string]): string =>
  ` ${name}="${escapeUTF8(value.slice(0, MAX_ATTRIBUTE_LENGTH))}"`
