import { z } from 'zod'
import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Block } from '../index.ts'
import { firstMember, humanReadable, isWireObject, listOf, textNames, wireType } from '../wire.ts'

export interface Columns {
  type: 'columns'
  columns: Block[][]
}

const contentNames: readonly string[] = ['blocks', 'items', ...textNames]

export const columns: BlockDefinition<Columns, 'columns' | 'items'> = {
  type: 'columns',
  aliases: ['column_list', 'two_columns', 'three_columns', 'grid', 'layout', 'row'],
  names: { columns: ['columns', 'cols', 'items', ...textNames], items: ['items', ...textNames] },
  description: 'Blocks side by side. The classic editor has them below each other.',
  example: {
    columns: [[{ type: 'paragraph', content: 'Spring tide' }], [{ type: 'paragraph', content: 'Neap tide' }]],
  },
  shape: ({ block }) => ({
    columns: z.array(z.array(block)).describe('The blocks of each column, or how many `items` a row has.'),
  }),
  /** A number of columns says how many of the items stand side by side. */
  read: ({ columns, items }, reading) => {
    const isNumber = typeof columns === 'number'
    const read = reading.nested(() =>
      listOf(isNumber ? items : columns).map((column) => {
        const isColumn = isWireObject(column) && /^(column|col|cell)?$/.test(wireType(column) ?? '')
        if (!isColumn) return reading.blocks(column)
        const inside = reading.blocks(firstMember(column, contentNames))
        const isRead = (name: string) => contentNames.includes(name) || !humanReadable.has(name)
        const [before, after] = reading.rest(column, 'a column', isRead, () => JSON.stringify(inside))
        return [...before, ...inside, ...after]
      }),
    )
    const filled = read.filter((blocks) => blocks.length > 0)
    const across = isNumber ? Math.max(1, Math.floor(columns)) : filled.length
    const rows: Block[][][] = []
    for (let at = 0; at < filled.length; at += across) rows.push(filled.slice(at, at + across))
    return rows.flatMap((row): Block[] => (row.length > 1 ? [{ type: 'columns', columns: row }] : row.flat()))
  },
  render: {
    block: (node, context) => {
      const inside = node.columns.map((blocks) =>
        blockMarkup('column', {}, `<div class="wp-block-column">${context.blocks(blocks)}</div>`),
      )
      return blockMarkup('columns', {}, `<div class="wp-block-columns">${inside.join('\n\n')}</div>`)
    },
    classic: (node, context) => {
      context.warn('columns_stacked', 'Columns stand below each other: the classic editor has none.')
      return node.columns.map((blocks) => context.blocks(blocks)).join('')
    },
  },
  parts: (node) => node.columns.flat(),
}
