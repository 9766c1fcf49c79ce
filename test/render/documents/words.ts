import type { Block, Document, Inline, List } from '../../../src/contract/tree.ts'

/** The words that a reader should see of a document's text, read from the tree and from nothing else. */
export const documentWords = ({ blocks }: Document): string[] =>
  blocks
    .flatMap(texts)
    .flatMap((text) => text.split(/\s+/u))
    .filter((word) => word !== '')

/** Texts between which a reader sees a gap. */
function texts(block: Block): string[] {
  switch (block.type) {
    case 'heading':
    case 'paragraph':
      return [inlineText(block.content)]
    case 'list':
      return listTexts(block)
    case 'table':
      return [...block.headers, ...block.rows.flat(), block.caption ?? []].map(inlineText)
    case 'code_block':
      return [readable(block.value)]
    case 'image':
      return [inlineText(block.caption ?? [])]
    case 'quote':
      return [...block.paragraphs, block.citation ?? []].map(inlineText)
    case 'audio':
      return []
  }
}

const listTexts = ({ items }: List): string[] =>
  items.flatMap(({ content, lists }) => [inlineText(content), ...lists.flatMap(listTexts)])

const inlineText = (nodes: Inline[]): string =>
  nodes.map((node) => ('children' in node ? inlineText(node.children) : readable(node.text))).join('')

/** What no reader sees, no feed can hold, or the editor takes out of every text, is not part of the text. */
export const readable = (text: string): string =>
  text.replace(/\ufeff|\ufffc|(?!\s)\p{Cc}/gu, '').replace(/[\p{Surrogate}\ufffe\uffff]/gu, '\ufffd')
