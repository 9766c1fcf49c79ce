import type { Block } from '../../../contract/generation/results.ts'

/** The words of a block, as a reader sees them. */
export function wordsOf(block: Block): string {
  switch (block.type) {
    case 'heading':
      return block.text
    case 'paragraph':
      return block.content.map(({ text }) => text).join('')
    case 'list':
      return block.items.join('\n')
    case 'table':
      return [block.headers, ...block.rows].map((row) => row.join(' ')).join('\n')
    case 'code_block':
    case 'quote':
      return block.value
    case 'image':
      return ''
  }
}

/** The words of many, a line for each. */
export const textOf = (blocks: readonly Block[]): string => blocks.map(wordsOf).join('\n')
