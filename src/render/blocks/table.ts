import type { Table } from '../../contract/tree.ts'
import { renderInlines } from '../inline.ts'
import type { Handler } from '../state.ts'
import { tableRows } from '../table.ts'
import { paragraphBlock } from './paragraph.ts'

/**
 * Columns as wide as their text asks for. The editor's default changed from that (6.1) to columns of one width
 * (6.8); only with the choice written out is the same markup valid in both.
 */
export const table: Handler<Table> = (node, state) => {
  const rows = tableRows(node, state)
  const caption = renderInlines(node.caption ?? [], state)
  if (rows === '') return paragraphBlock(caption)
  const figcaption = caption === '' ? '' : `<figcaption class="wp-element-caption">${caption}</figcaption>`
  return (
    '<!-- wp:table {"hasFixedLayout":false} -->\n' +
    `<figure class="wp-block-table"><table>${rows}</table>${figcaption}</figure>\n` +
    '<!-- /wp:table -->'
  )
}
