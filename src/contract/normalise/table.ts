import type { Inline, Table } from '../tree.ts'
import { first, isWire, textFields, typeOf, type Wire } from './fields.ts'
import { readInlines } from './inline.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'
import { type Columns, type Placed, startColumns } from './table-columns.ts'

/** Cells as strings, inline content or objects; rows as arrays, objects with `cells`, or objects keyed by header. */
export function readTable(wire: Wire, reading: Reading): Table[] {
  const rows = rowsOf(first(wire, ['rows', 'body', 'data', ...textFields]), reading)
  const written = first(wire, ['headers', 'header', 'head', ...(isCount(wire.columns) ? [] : ['columns'])])
  const [headers = [], ...further] = headRows(written, rows)
  const columns = startColumns(headers)
  const body = [...further, ...rows].map((row) => cellsOf(row, columns, reading))
  const names = written === undefined ? columns.added() : []
  const width = columns.count()
  reading.countCells(
    body.length + 1,
    body.reduce<number>((widest, cells) => Math.max(widest, isPlaced(cells) ? 0 : cells.length), width),
  )
  const caption = readInlines(first(wire, ['caption']), reading)
  return [
    {
      type: 'table',
      headers: [...headers, ...names].map((cell) => readCell(cell, reading)),
      rows: body.map((cells) => {
        const inOrder = isPlaced(cells) ? Array.from({ length: width }, (_, at) => cells.get(at)) : cells
        return inOrder.map((cell) => readCell(cell, reading))
      }),
      ...(caption.length > 0 ? { caption } : {}),
    },
  ]
}

/** A cell's content; `true` and `false` are words there. */
const readCell = (cell: unknown, reading: Reading): Inline[] =>
  cell === undefined || cell === null
    ? []
    : readInlines(typeof cell === 'boolean' ? String(cell) : cell, reading)

/** How many columns there are, as some write beside the rows. */
const isCount = (columns: unknown): boolean => typeof columns === 'number'

function rowsOf(written: unknown, reading: Reading): readonly unknown[] {
  if (written === undefined) return []
  if (Array.isArray(written)) return written
  reading.warn('table_rows', 'rows is not an array; what is in it is read as rows')
  return isWire(written) && Object.values(written).every(Array.isArray) ? Object.values(written) : [written]
}

const rowFields = ['cells', 'columns', 'values']
const cellFields = [...rowFields, ...textFields]

/** The rows of the header, mostly one: cells, an object of them by column, or rows as a body has them. */
function headRows(written: unknown, rows: readonly unknown[]): unknown[][] {
  if (written === undefined) return []
  if (isWire(written)) {
    const cells = first(written, cellFields)
    if (cells !== undefined) return [[cells].flat()]
    return [Object.entries(written).map(([key, text]) => ({ key, text }))]
  }
  if (!Array.isArray(written)) return [[written]]
  if (written.length > 0 && written.every(hasCells)) return written.map(({ cells }) => cells)
  const [only, ...others] = written
  const isRow = Array.isArray(only) && only.length > 1 && others.length === 0 && rows.some(isAsWide(only))
  return isRow ? [only] : [written]
}

const hasCells = (row: unknown): row is { cells: unknown[] } => isWire(row) && Array.isArray(row.cells)

const isAsWide = (cells: readonly unknown[]) => (row: unknown) =>
  Array.isArray(row) ? row.length === cells.length : hasCells(row) && row.cells.length === cells.length

type Cells = readonly unknown[] | Placed

const isPlaced = (cells: Cells): cells is Placed => cells instanceof Map

/** One row's cells: an array, an object with `cells`, a lone cell, or the members of an object, each in its column. */
function cellsOf(row: unknown, columns: Columns, reading: Reading): Cells {
  if (Array.isArray(row)) return row
  if (!isWire(row)) return row === undefined || row === null ? [] : [row]
  const { type, ...untyped } = row
  const members = columns.isNamed('type') ? row : untyped
  const field = cellFields.find((name) => !columns.isNamed(name) && members[name] != null)
  const cells = field === undefined ? undefined : members[field]
  const others = Object.entries(members).filter((member) => member[0] !== field && hasWords(member))
  const isKeyed = others.some(([name]) => columns.isNamed(name) || !rowFields.includes(field ?? ''))
  if (Array.isArray(cells) && cells.length === 0) return columns.place(Object.fromEntries(others))
  if (cells === undefined || isKeyed) return columns.place(members)
  for (const [name] of others)
    reading.warn('text_left_out', `the "${name}" of a table row is not read, and its text is left out`)
  if (Array.isArray(cells)) return cells
  return isWire(cells) && field === 'cells' && typeOf(cells) === undefined ? columns.place(cells) : [members]
}

const hasWords = ([name, value]: [string, unknown]): boolean => plainText({ [name]: value }).trim() !== ''
