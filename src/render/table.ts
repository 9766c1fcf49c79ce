import type { Table } from '../contract/tree.ts'
import { renderInlines } from './inline.ts'
import type { State } from './state.ts'

/** The inside of `<table>`, every row as wide as the widest; the empty string for a table without cells. */
export function tableRows({ headers, rows }: Table, state: State): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), headers.length)
  if (width === 0) return ''
  state.countCells((rows.length + 1) * width)
  const row = (cells: Table['headers'], tag: 'th' | 'td'): string => {
    let html = '<tr>'
    for (let index = 0; index < width; index += 1)
      html += `<${tag}>${renderInlines(cells[index] ?? [], state)}</${tag}>`
    return `${html}</tr>`
  }
  const head = headers.length > 0 ? `<thead>${row(headers, 'th')}</thead>` : ''
  // an empty `<tbody>` makes the block invalid
  const body = rows.length > 0 ? `<tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody>` : ''
  return head + body
}
