import { Readability } from '@mozilla/readability'
import { Tokenizer } from 'htmlparser2'
import { parseHTML } from 'linkedom'
import { truncate } from '../../../lib/text.ts'
import type { FetchedPage } from './fetch-page.ts'

export type PageText = Pick<FetchedPage, 'text' | 'isHtml'>

export interface Article {
  title: string
  text: string
  /** As the page writes it. */
  published?: string
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
  const published = article?.publishedTime
  return {
    title: oneLine(article?.title || title),
    text: tidyText(article?.content ?? ''),
    ...(published ? { published } : {}),
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

/**
 * Characters that nobody sees: controls, halves of characters, private ones, marks of direction and of nothing, and the tags
 * and selectors in which whole sentences for a model can hide. The joiners of scripts that need them stay.
 */
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
/** Elements of a page that is read; real articles have some hundreds, and their pages some thousands. */
const MAX_ELEMENTS = 8_000
/** Characters of what is handed on. */
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
/** What tells an article from what is around it. */
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

/**
 * Closes every element, limits the depth, and drops what readers do not see: scripts, comments, and
 * hidden elements, where instructions for models are put. Linear in the page's length.
 */
export function sanitiseHtml(html: string): string {
  const head: string[] = []
  const body: string[] = []
  let out = body
  const open: OpenElement[] = []
  const standing = new Map<string, number>()
  let length = 0
  let elements = 0
  /** How many of the open elements hide what is in them, and how many are written. */
  let hidden = 0
  let depth = 0
  let name = ''
  let attributes = new Map<string, string>()
  let attribute = ''
  let value = ''

  const write = (text: string) => {
    out.push(text)
    length += text.length
    if (length >= MAX_CHARACTERS) tokenizer.pause()
  }
  const close = () => {
    const last = open.pop()
    if (last === undefined) return
    standing.set(last.name, (standing.get(last.name) ?? 1) - 1)
    if (last.hidden) hidden -= 1
    if (!last.written) return
    depth -= 1
    out.push(`</${last.name}>`)
    if (inHead(last.name)) out = body
  }
  const begin = () => {
    if (/^[a-z][a-z0-9-]{0,30}$/.test(name) === false) return
    const isEmpty = voidElements.has(name)
    const isData = name === 'script' && attributes.get('type') === 'application/ld+json'
    const isHidden = (droppedElements.has(name) && !isData) || isHiddenBy(attributes)
    const isSeen = hidden === 0 && !isHidden && !documentElements.has(name)
    const written = isSeen && depth < MAX_DEPTH && elements < MAX_ELEMENTS
    if (written) {
      elements += 1
      if (inHead(name)) out = head
      write(
        `<${name}${[...attributes]
          .filter(([key]) => keptAttributes.has(key))
          .map(attributeText)
          .join('')}>`,
      )
    }
    if (isEmpty) {
      if (name === 'meta') out = body
      return
    }
    open.push({ name, written, hidden: isHidden })
    standing.set(name, (standing.get(name) ?? 0) + 1)
    if (isHidden) hidden += 1
    if (written) depth += 1
  }
  const text = (said: string) => {
    if (hidden > 0 || said === '') return
    write(open.at(-1)?.name === 'script' ? said.replaceAll('<', '\\u003c') : escapeHtml(said))
  }
  const nothing = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => {
        name = html.slice(start, Math.min(end, start + 40)).toLowerCase()
        attributes = new Map()
      },
      onattribname: (start, end) => {
        attribute = html.slice(start, Math.min(end, start + 40)).toLowerCase()
        value = ''
      },
      onattribdata: (start, end) => {
        if (value.length < MAX_ATTRIBUTE_LENGTH)
          value += html.slice(start, Math.min(end, start + MAX_ATTRIBUTE_LENGTH))
      },
      onattribentity: (codePoint) => {
        if (value.length < MAX_ATTRIBUTE_LENGTH) value += String.fromCodePoint(codePoint)
      },
      onattribend: () => {
        if (attributes.size < 40 && !attributes.has(attribute)) attributes.set(attribute, value)
      },
      onopentagend: begin,
      // As browsers read it: the slash says nothing.
      onselfclosingtag: begin,
      onclosetag: (start, end) => {
        const closed = html.slice(start, Math.min(end, start + 40)).toLowerCase()
        if ((standing.get(closed) ?? 0) === 0) return
        for (let last = open.at(-1)?.name; last !== undefined; last = open.at(-1)?.name) {
          close()
          if (last === closed) return
        }
      },
      ontext: (start, end) => text(html.slice(start, end)),
      ontextentity: (codePoint) => text(String.fromCodePoint(codePoint)),
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  while (open.length > 0) close()
  return `<!doctype html><html><head>${head.join('')}</head><body>${body.join('')}</body></html>`
}

const inHead = (name: string): boolean => name === 'title' || name === 'meta' || name === 'script'

const isHiddenBy = (attributes: ReadonlyMap<string, string>): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden') === 'true' ||
  hidingStyles.test((attributes.get('style') ?? '').toLowerCase().replace(/\s/g, ''))

const attributeText = ([name, value]: [string, string]): string => ` ${name}="${escapeHtml(value)}"`

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
