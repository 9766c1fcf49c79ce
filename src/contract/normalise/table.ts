import type { Inline, Table } from '../tree.ts'
import { first, isWire, textFields, type Wire } from './fields.ts'
import { readInlines } from './inline.ts'
import type { Reading } from './reading.ts'

/** Cells as strings, inline content or objects; rows as arrays, objects with `cells`, or objects keyed by header. */
export function readTable(wire: Wire, reading: Reading): Table[] {
  const written = cellsOf(first(wire, ['headers', 'header', 'head', 'columns']))
  const headers = written.map((cell) => readInlines(cell, reading))
  const rows = first(wire, ['rows', 'body'])
  if (rows !== undefined && !Array.isArray(rows))
    reading.warn('table_rows', 'rows is not an array; the table has none')
  const caption = readInlines(first(wire, ['caption']), reading)
  return [
    {
      type: 'table',
      headers,
      rows: (Array.isArray(rows) ? rows : []).map((row) => readRow(row, written, reading)),
      ...(caption.length > 0 ? { caption } : {}),
    },
  ]
}

function readRow(row: unknown, headers: unknown[], reading: Reading): Inline[][] {
  if (!isWire(row)) return cellsOf(row).map((cell) => readInlines(cell, reading))
  const cells = first(row, ['cells', 'columns', 'values', ...textFields])
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
