import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { beginning } from '../../../text.ts'
import type { FetchedPage } from './fetch-page.ts'
import { sanitiseHtml } from './sanitise-html.ts'

export type PageText = Pick<FetchedPage, 'text' | 'isHtml'>

/** What a page says. */
export interface Extract {
  title: string
  text: string
  /** As the page writes it. */
  published?: string
}

/** Characters of a page that are kept: some 1,500 words, of which a question can hold several. */
const LONGEST_TEXT = 9_000
const LONGEST_TITLE = 300

/** The article of a page as plain text, a paragraph on each line; empty where there is none. */
export function extract({ text, isHtml }: PageText): Extract {
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

/** What is used of a node; no types of a browser's DOM are known here. */
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
  beginning(
    text
      .split('\n')
      .map(oneSpaced)
      .filter((line) => line !== '')
      .join('\n'),
    LONGEST_TEXT,
  )

const oneLine = (text: string): string => beginning(oneSpaced(text), LONGEST_TITLE)

/**
 * Characters that nobody sees: controls, halves of characters, private ones, marks of direction and of nothing, and the tags
 * and selectors in which whole sentences for a model can hide. The joiners of scripts that need them stay.
 */
const unseen =
  /[\p{Cc}\p{Cs}\p{Co}\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu

const oneSpaced = (text: string): string =>
  text
    .split(/\s/)
    .map((word) => word.replace(unseen, ''))
    .filter(Boolean)
    .join(' ')
