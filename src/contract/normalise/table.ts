import type { Inline, Table } from '../tree.ts'
import { first, isWire, textFields, type Wire } from './fields.ts'
import { readInlines } from './inline.ts'
import type { Reading } from './reading.ts'

/** Cells as strings, inline content or objects; rows as arrays, objects with `cells`, or objects keyed by header. */
export function readTable(wire: Wire, reading: Reading): Table[] {
  const written = cellsOf(first(wire, ['headers', 'header', 'head', 'columns']))
  const rows = first(wire, ['rows', 'body'])
  if (rows !== undefined && !Array.isArray(rows))
    reading.warn('table_rows', 'rows is not an array; the table has none')
  reading.countCells((Array.isArray(rows) ? rows.length : 0) + 1, widest(written, rows))
  const caption = readInlines(first(wire, ['caption']), reading)
  return [
    {
      type: 'table',
      headers: written.map((cell) => readInlines(cell, reading)),
      rows: (Array.isArray(rows) ? rows : []).map((row) => readRow(row, written, reading)),
      ...(caption.length > 0 ? { caption } : {}),
    },
  ]
}

/** Cells of the widest row, none of them made yet: a row without cells is as wide as the header. */
function widest(headers: unknown[], rows: unknown): number {
  const names = new Set(headers)
  const widthOf = (row: unknown): number => {
    if (!isWire(row)) return cellsOf(row).length
    const cells = first(row, cellFields)
    if (Array.isArray(cells)) return cells.length
    return headers.length + Object.keys(row).filter((name) => !names.has(name)).length
  }
  return (Array.isArray(rows) ? rows : []).reduce<number>(
    (width, row) => Math.max(width, widthOf(row)),
    headers.length,
  )
}

const cellFields = ['cells', 'columns', 'values', ...textFields]

function readRow(row: unknown, headers: unknown[], reading: Reading): Inline[][] {
  if (!isWire(row)) return cellsOf(row).map((cell) => readInlines(cell, reading))
  const cells = first(row, cellFields)
  if (Array.isArray(cells)) return cells.map((cell) => readInlines(cell, reading))
  const named = new Map(Object.entries(row))
  const inOrder = headers.map((header) => {
    const name = typeof header === 'string' ? header : ''
    const cell = named.get(name)
    named.delete(name)
    return cell
  })
  return [...inOrder, ...named.values()].map((cell) => readInlines(cell, reading))
}

/** One row's cells: an array, an object with `cells`, or a lone cell. */
const cellsOf = (row: unknown): unknown[] => {
  const cells = isWire(row) ? (first(row, ['cells', 'columns', ...textFields]) ?? []) : row
  return Array.isArray(cells) ? cells : cells === undefined || cells === null ? [] : [cells]
}
