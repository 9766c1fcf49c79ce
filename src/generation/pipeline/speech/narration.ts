import type { Block, DocumentResult, Inline } from '../../../contract/generation/results.ts'

/**
 * What is read of a document: its title, and of its blocks what a person would read aloud. Code and pictures are left out,
 * a link is its text, and of a table each row is one sentence, each cell with its column's head.
 */
export function narration({ title, content }: Pick<DocumentResult, 'title' | 'content'>): string {
  const blocks = content.content
  const [first] = blocks
  // A document may begin with its own title.
  const repeats = first?.type === 'heading' && first.text.trim() === title.trim()
  const read = (repeats ? blocks.slice(1) : blocks).map(spoken)
  return [ended(title), ...read].filter((text) => text !== '').join('\n\n')
}

const readers = {
  heading: ({ text }) => ended(text),
  paragraph: ({ content }) => ended(content.map(inline).join('')),
  list: ({ items, ordered }) =>
    items
      .filter(hasText)
      .map((item, index) => ended(ordered ? `${index + 1}: ${item}` : item))
      .join('\n'),
  table: ({ headers, rows }) =>
    rows
      .map((row) => tableRow(headers, row))
      .filter(hasText)
      .join('\n'),
  quote: ({ value }) => ended(value),
  code_block: () => '',
  image: () => '',
} satisfies { [Type in Block['type']]: (block: Extract<Block, { type: Type }>) => string }

const spoken = (block: Block): string => (readers[block.type] as (block: Block) => string)(block)

const inline = ({ text }: Inline): string => text

function tableRow(headers: string[], row: string[]): string {
  const cells = row.map((cell, column) => {
    const head = headers[column]?.trim() ?? ''
    return head === '' || !hasText(cell) ? cell.trim() : `${head}: ${cell.trim()}`
  })
  return ended(cells.filter(hasText).join(', '))
}

const hasText = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** With a full stop, so that a voice makes its pause: headings and items of lists have none. */
function ended(text: string): string {
  const trimmed = text.trim()
  if (!hasText(trimmed)) return ''
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(trimmed)) return `${trimmed}。`
  return /[\p{L}\p{M}\p{N}%)\]]$/u.test(trimmed) ? `${trimmed}.` : trimmed
}
