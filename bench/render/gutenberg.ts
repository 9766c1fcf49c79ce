import type { Block, Document, Inline, List } from '../../src/contract/tree.ts'
import type { BlockTemplate } from '../../test/support/editor.ts'

/** The same document as a person's insertions into the block editor: block names, attributes, inner blocks. */
export const templatesOf = ({ blocks }: Document): BlockTemplate[] => blocks.map(template)

function template(block: Block): BlockTemplate {
  switch (block.type) {
    case 'heading':
      return ['core/heading', { level: block.level, content: html(block.content) }]
    case 'paragraph':
      return paragraph(block.content)
    case 'list':
      return list(block)
    case 'table': {
      const { headers, rows } = block
      const row = (cells: Inline[][], tag: string) => ({
        cells: cells.map((cell) => ({ content: html(cell), tag })),
      })
      const body = rows.map((cells) => row(cells, 'td'))
      return ['core/table', { hasFixedLayout: false, head: [row(headers, 'th')], body }]
    }
    case 'code_block':
      return ['core/code', { className: `language-${block.language}`, content: text(block.value) }]
    case 'image':
      return [
        'core/image',
        { url: block.url, alt: block.alt, sizeSlug: 'large', caption: html(block.caption ?? []) },
      ]
    case 'quote':
      return ['core/quote', { citation: html(block.citation ?? []) }, block.paragraphs.map(paragraph)]
    case 'audio':
      return ['core/audio', { src: block.url }]
  }
}

const paragraph = (content: Inline[]): BlockTemplate => ['core/paragraph', { content: html(content) }]

const list = ({ ordered, items }: List): BlockTemplate => [
  'core/list',
  { ordered },
  items.map(
    ({ content, lists }): BlockTemplate => ['core/list-item', { content: html(content) }, lists.map(list)],
  ),
]

const text = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** As much of inline content as the article has. */
const html = (nodes: Inline[]): string =>
  nodes
    .map((node) => {
      if (node.type === 'bold') return `<strong>${html(node.children)}</strong>`
      if (node.type === 'link') return `<a href="${text(node.href)}">${html(node.children)}</a>`
      return 'text' in node ? text(node.text) : html(node.children)
    })
    .join('')
