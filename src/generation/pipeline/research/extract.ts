import { beginning } from '../../../text.ts'
import type { FetchedPage } from './fetch-page.ts'
import { tidyHtml } from './tidy-html.ts'

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
export async function extract({ text, isHtml }: Pick<FetchedPage, 'text' | 'isHtml'>): Promise<Extract> {
  if (!isHtml) return { title: cut(text.trim().split('\n', 1)[0] ?? '', LONGEST_TITLE), text: tidy(text) }
  const [{ parseHTML }, { Readability }] = await Promise.all([
    import('linkedom'),
    import('@mozilla/readability'),
  ])
  const { document } = parseHTML(`<!doctype html>${tidyHtml(text)}`)
  const article = new Readability<string>(document as never, {
    serializer: (node) => textOf(node as TreeNode),
  }).parse()
  const published = article?.publishedTime
  return {
    title: cut(article?.title?.trim() || document.title.trim(), LONGEST_TITLE),
    text: tidy(article?.content ?? ''),
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

/** The text of a node, with a line for each block. */
function textOf(node: TreeNode): string {
  if (node.nodeType === 3) return (node.nodeValue ?? '').replace(/\s/g, ' ')
  const inner = [...node.childNodes].map(textOf).join(node.nodeName === 'TR' ? ' | ' : '')
  return blocks.has(node.nodeName) ? `\n${inner}\n` : inner
}

const tidy = (text: string): string =>
  beginning(
    text
      .split('\n')
      .map((line) => line.split(/\s/).filter(Boolean).join(' '))
      .filter((line) => line !== '')
      .join('\n'),
    LONGEST_TEXT,
  )

const cut = (text: string, length: number): string =>
  beginning(text.split(/\s/).filter(Boolean).join(' '), length)
