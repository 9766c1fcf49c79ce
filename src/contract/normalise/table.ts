import type { Inline, Table } from '../tree.ts'
import {
  first,
  firstText,
  isCountOfColumns,
  isWire,
  nameOfFirst,
  shownFields,
  textFields,
  textOf,
  typeOf,
  type Wire,
} from './fields.ts'
import { readInlines } from './inline.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'
import { type Columns, type Placed, startColumns } from './table-columns.ts'

/** Cells as strings, inline content or objects; rows as arrays, objects with `cells`, or objects keyed by header. */
export function readTable(wire: Wire, reading: Reading): Table[] {
  const rows = rowsOf(first(wire, shownFields.rows), reading)
  const written = first(
    wire,
    shownFields.header.filter((name) => !isCountOfColumns(name, wire[name])),
  )
  const [headers = [], ...further] = headRows(written, rows, reading)
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
      headers: [...headers, ...names].map((cell) => readHeader(cell, reading)),
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

/** The words of a column, or the name by which rows call it. */
function readHeader(header: unknown, reading: Reading): Inline[] {
  if (!isWire(header)) return readCell(header, reading)
  const { name, ...cell } = header
  if (textOf(cell) !== undefined) return readCell(cell, reading)
  return readCell(plainText(header).trim() === '' ? firstText(header, ['key', 'id']) : header, reading)
}

function rowsOf(written: unknown, reading: Reading): readonly unknown[] {
  if (written === undefined) return []
  if (Array.isArray(written)) return written
  reading.warn('table_rows', 'rows is not an array; what is in it is read as rows')
  return isWire(written) && Object.values(written).every(Array.isArray) ? Object.values(written) : [written]
}

const rowFields = ['cells', 'columns', 'values']
const cellFields = [...rowFields, ...textFields]

/** The rows of the header, mostly one: cells, an object of them by column, or rows as a body has them. */
function headRows(written: unknown, rows: readonly unknown[], reading: Reading): unknown[][] {
  if (written === undefined) return []
  if (isWire(written)) {
    const field = nameOfFirst(written, cellFields)
    const members = isMarked(written) ? withoutType(written) : written
    const others = othersThan(field, members)
    const isKeyed = others.length > 0 || rows.some((row) => sharesNames(row, members, field))
    if (field !== undefined && (Array.isArray(written[field]) || !isKeyed)) {
      sayRowPassedOver(others, reading)
      return [[written[field]].flat()]
    }
    return [Object.entries(members).map(([key, text]) => ({ key, text }))]
  }
  if (!Array.isArray(written)) return [[written]]
  if (written.length > 0 && written.every(hasCells)) {
    for (const row of written) sayRowPassedOver(othersThan('cells', withoutType(row)), reading)
    return written.map(({ cells }) => cells)
  }
  const [only, ...others] = written
  const isRow = Array.isArray(only) && only.length > 1 && others.length === 0 && rows.some(isAsWide(only))
  return isRow ? [only] : [written]
}

const hasCells = (row: unknown): row is { cells: unknown[] } => isWire(row) && Array.isArray(row.cells)

/** Whether a row is keyed by the same names, beside one that might be that of cells. */
const sharesNames = (row: unknown, members: Wire, field: string | undefined): boolean =>
  isWire(row) && Object.keys(members).some((name) => name !== field && Object.hasOwn(row, name))

const isAsWide = (cells: readonly unknown[]) => (row: unknown) =>
  Array.isArray(row) ? row.length === cells.length : hasCells(row) && row.cells.length === cells.length

type Cells = readonly unknown[] | Placed

const isPlaced = (cells: Cells): cells is Placed => cells instanceof Map

/** One row's cells: an array, an object with `cells`, a lone cell, or the members of an object, each in its column. */
function cellsOf(row: unknown, columns: Columns, reading: Reading): Cells {
  if (Array.isArray(row)) return row
  if (!isWire(row)) return row === undefined || row === null ? [] : [row]
  const untyped = withoutType(row)
  const isMark =
    isMarked(row) && (!columns.isAlike('type') || rowFields.some((name) => Array.isArray(row[name])))
  const members = columns.hasOne('type') && !isMark ? row : untyped
  const field = cellFields.find((name) => !columns.isNamed(name) && members[name] != null)
  const cells = field === undefined ? undefined : members[field]
  const others = othersThan(field, members, columns)
  const holdsCells = Array.isArray(cells)
    ? rowFields.includes(field ?? '')
    : field === 'cells' && isWire(cells)
  const isKeyed = others.some((name) => columns.isAlike(name) || !holdsCells)
  if (Array.isArray(cells) && cells.length === 0)
    return columns.place(Object.fromEntries(others.map((name) => [name, members[name]])))
  if (cells === undefined || isKeyed) {
    if (members === untyped && !isMarked(row) && plainText(row.type) !== '')
      sayRowPassedOver(['type'], reading)
    return columns.place(members)
  }
  sayRowPassedOver(others, reading)
  if (Array.isArray(cells)) return cells
  return isWire(cells) && field === 'cells' && typeOf(cells) === undefined ? columns.place(cells) : [untyped]
}

/** What marks a row as one, and is no cell. */
const isMarked = (row: Wire): boolean =>
  /^(table_|header_|body_|data_)?(row|header|body|data|cell)$|^t[dhr]$/.test(typeOf(row) ?? '')

function withoutType(row: Wire): Wire {
  const { type, ...untyped } = row
  return untyped
}

/** The names of what else has words in a row: members that people read, and those that a column is called by. */
function othersThan(field: string | undefined, members: Wire, columns?: Columns): string[] {
  const isColumn = (name: string) => columns?.isAlike(name) || (name === 'key' && field === 'value')
  return Object.keys(members).filter(
    (name) =>
      name !== field && plainText(isColumn(name) ? members[name] : { [name]: members[name] }).trim() !== '',
  )
}

function sayRowPassedOver(names: readonly string[], reading: Reading): void {
  for (const name of names)
    reading.warn('text_left_out', `the "${name}" of a table row is not read, and its text is left out`)
}
