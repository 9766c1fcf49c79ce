import type { Element } from 'domhandler'
import type { WireBlock } from '../foreign.ts'
import type { Context, HtmlReader } from '../html.ts'
import { tableOf } from '../things.ts'
import { alignmentOf, elementsIn, findNamed } from './dom.ts'
import { simplified } from './running-text.ts'

interface Row {
  section: string
  cells: Element[]
}

/** The rows of a table, not those of a table in it. */
const rowsOf = (table: Element): Row[] =>
  elementsIn(table.children).flatMap((child) => {
    if (child.name === 'tr') return [{ section: 'tbody', cells: cellsOf(child) }]
    if (!/^t(?:head|body|foot)$/.test(child.name)) return []
    return elementsIn(child.children)
      .filter(({ name }) => name === 'tr')
      .map((row) => ({ section: child.name, cells: cellsOf(row) }))
  })

const cellsOf = (row: Element): Element[] =>
  elementsIn(row.children).filter(({ name }) => name === 'td' || name === 'th')

/** Mail and old pages put what they show into tables; those are no tables for a reader. */
const isLayout = (table: Element, rows: readonly Row[]): boolean =>
  /^(?:presentation|none)$/.test(table.attribs.role ?? '') ||
  findNamed(table.children, 'table').length > 0 ||
  rows.flatMap(({ cells }) => cells).length === 1

export function tableBlocks(table: Element, context: Context, reader: HtmlReader): WireBlock[] {
  const rows = rowsOf(table).filter(({ cells }) => cells.length > 0)
  if (isLayout(table, rows))
    return rows.flatMap(({ cells }) => cells.flatMap((cell) => reader.blocks(cell.children, context)))
  const readRow = ({ cells }: Row) =>
    cells.map((cell) => ({
      blocks: reader.blocks(cell.children, { marks: [] }),
      isHeader: cell.name === 'th',
      colspan: cell.attribs.colspan,
      rowspan: cell.attribs.rowspan,
      align: alignmentOf(cell) ?? alignmentOf(cell.parent as Element),
    }))
  const [first, ...rest] = rows
  const isHead =
    first !== undefined &&
    (first.section === 'thead' || (rows.length > 1 && first.cells.every(({ name }) => name === 'th')))
  const body = isHead ? rest : rows
  const last = body.at(-1)
  const foot = last?.section === 'tfoot' ? last : undefined
  const caption = elementsIn(table.children).find(({ name }) => name === 'caption')
  const title = caption && reader.running(caption.children, { marks: [] })
  const read = {
    headers: isHead ? readRow(first) : [],
    rows: body.filter((row) => row !== foot).map(readRow),
    footer: foot && readRow(foot),
    caption: title?.running,
  }
  return [...tableOf(read, reader.warnings, simplified), ...(title?.others ?? [])]
}
