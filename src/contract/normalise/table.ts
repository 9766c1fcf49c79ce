import type { Inline, Table } from '../tree.ts'
import {
  displayedFields,
  firstMember,
  firstMemberName,
  firstTextMember,
  isCountOfColumns,
  isWireObject,
  textFields,
  textMember,
  type WireObject,
  wireType,
} from './fields.ts'
import { readInlines } from './inline.ts'
import { plainText } from './plain-text.ts'
import type { ReadingContext } from './reading.ts'

/**
 * Reads a table. Cells are strings, inline content or objects; rows are arrays, objects with `cells`, or objects keyed
 * by header.
 */
export function readTable(wire: WireObject, reading: ReadingContext): Table[] {
  const rows = rowsOf(firstMember(wire, displayedFields.rows), reading)
  const written = firstMember(
    wire,
    displayedFields.header.filter((name) => !isCountOfColumns(name, wire[name])),
  )
  const [headers = [], ...further] = headRows(written, rows, reading)
  const columns = createColumns(headers)
  const body = [...further, ...rows].map((row) => cellsOf(row, columns, reading))
  const names = written === undefined ? columns.added() : []
  const width = columns.count()
  reading.countCells(
    body.length + 1,
    body.reduce<number>(
      (widest, cells) => Math.max(widest, isCellsByColumn(cells) ? 0 : cells.length),
      width,
    ),
  )
  const caption = readInlines(firstMember(wire, ['caption']), reading)
  return [
    {
      type: 'table',
      headers: [...headers, ...names].map((cell) => readHeader(cell, reading)),
      rows: body.map((cells) => {
        const inOrder = isCellsByColumn(cells)
          ? Array.from({ length: width }, (_, at) => cells.get(at))
          : cells
        return inOrder.map((cell) => readCell(cell, reading))
      }),
      ...(caption.length > 0 ? { caption } : {}),
    },
  ]
}

/** A cell's content; booleans are words there. */
const readCell = (cell: unknown, reading: ReadingContext): Inline[] =>
  cell === undefined || cell === null
    ? []
    : readInlines(typeof cell === 'boolean' ? String(cell) : cell, reading)

/** The text of a column, or its key. */
function readHeader(header: unknown, reading: ReadingContext): Inline[] {
  if (!isWireObject(header)) return readCell(header, reading)
  const { name, ...cell } = header
  if (textMember(cell) !== undefined) return readCell(cell, reading)
  return readCell(plainText(header).trim() === '' ? firstTextMember(header, ['key', 'id']) : header, reading)
}

function rowsOf(written: unknown, reading: ReadingContext): readonly unknown[] {
  if (written === undefined) return []
  if (Array.isArray(written)) return written
  reading.warn('table_rows', 'rows is not an array; what is in it is read as rows')
  return isWireObject(written) && Object.values(written).every(Array.isArray)
    ? Object.values(written)
    : [written]
}

const rowFields = ['cells', 'columns', 'values']
const cellFields = [...rowFields, ...textFields]

/** Header rows, mostly one: cells, an object of cells by column, or rows as in a body. */
function headRows(written: unknown, rows: readonly unknown[], reading: ReadingContext): unknown[][] {
  if (written === undefined) return []
  if (isWireObject(written)) {
    const field = firstMemberName(written, cellFields)
    const members = isRowMarker(written) ? withoutType(written) : written
    const others = otherMemberNames(field, members)
    const isKeyed = others.length > 0 || rows.some((row) => sharesNames(row, members, field))
    if (field !== undefined && (Array.isArray(written[field]) || !isKeyed)) {
      warnUnreadRow(others, reading)
      return [[written[field]].flat()]
    }
    return [Object.entries(members).map(([key, text]) => ({ key, text }))]
  }
  if (!Array.isArray(written)) return [[written]]
  if (written.length > 0 && written.every(hasCells)) {
    for (const row of written) warnUnreadRow(otherMemberNames('cells', withoutType(row)), reading)
    return written.map(({ cells }) => cells)
  }
  const [only, ...others] = written
  const isRow = Array.isArray(only) && only.length > 1 && others.length === 0 && rows.some(isAsWide(only))
  return isRow ? [only] : [written]
}

const hasCells = (row: unknown): row is { cells: unknown[] } => isWireObject(row) && Array.isArray(row.cells)

/** Whether a row shares a key with `members`, other than `field`. */
const sharesNames = (row: unknown, members: WireObject, field: string | undefined): boolean =>
  isWireObject(row) && Object.keys(members).some((name) => name !== field && Object.hasOwn(row, name))

const isAsWide = (cells: readonly unknown[]) => (row: unknown) =>
  Array.isArray(row) ? row.length === cells.length : hasCells(row) && row.cells.length === cells.length

type Cells = readonly unknown[] | CellsByColumn

const isCellsByColumn = (cells: Cells): cells is CellsByColumn => cells instanceof Map

/** Cells of one row: an array, an object with `cells`, a lone cell, or an object keyed by column. */
function cellsOf(row: unknown, columns: Columns, reading: ReadingContext): Cells {
  if (Array.isArray(row)) return row
  if (!isWireObject(row)) return row === undefined || row === null ? [] : [row]
  const untyped = withoutType(row)
  const isMark =
    isRowMarker(row) && (!columns.isAlike('type') || rowFields.some((name) => Array.isArray(row[name])))
  const members = columns.hasOne('type') && !isMark ? row : untyped
  const field = cellFields.find((name) => !columns.isNamed(name) && members[name] != null)
  const cells = field === undefined ? undefined : members[field]
  const others = otherMemberNames(field, members, columns)
  const holdsCells = Array.isArray(cells)
    ? rowFields.includes(field ?? '')
    : field === 'cells' && isWireObject(cells)
  const isKeyed = others.some((name) => columns.isAlike(name) || !holdsCells)
  if (Array.isArray(cells) && cells.length === 0)
    return columns.place(Object.fromEntries(others.map((name) => [name, members[name]])))
  if (cells === undefined || isKeyed) {
    if (members === untyped && !isRowMarker(row) && plainText(row.type) !== '')
      warnUnreadRow(['type'], reading)
    return columns.place(members)
  }
  warnUnreadRow(others, reading)
  if (Array.isArray(cells)) return cells
  return isWireObject(cells) && field === 'cells' && wireType(cells) === undefined
    ? columns.place(cells)
    : [untyped]
}

/** Whether `type` marks a row and is not a cell. */
const isRowMarker = (row: WireObject): boolean =>
  /^(table_|header_|body_|data_)?(row|header|body|data|cell)$|^t[dhr]$/.test(wireType(row) ?? '')

function withoutType(row: WireObject): WireObject {
  const { type, ...untyped } = row
  return untyped
}

/** The other members of a row that have text: human-readable ones, and those named like a column. */
function otherMemberNames(field: string | undefined, members: WireObject, columns?: Columns): string[] {
  const isColumn = (name: string) => columns?.isAlike(name) || (name === 'key' && field === 'value')
  return Object.keys(members).filter(
    (name) =>
      name !== field && plainText(isColumn(name) ? members[name] : { [name]: members[name] }).trim() !== '',
  )
}

function warnUnreadRow(names: readonly string[], reading: ReadingContext): void {
  for (const name of names)
    reading.warn('text_left_out', `the "${name}" of a table row is not read, and its text is left out`)
}

/** The cells of a row by column index. */
type CellsByColumn = ReadonlyMap<number, unknown>

/** The columns of a table: those of its header, and one for each further name in a row. */
interface Columns {
  /** Whether a header has exactly this name. */
  isNamed(name: string): boolean
  /** Whether a header has this name in any case style. */
  isAlike(name: string): boolean
  /** Whether such a member has a column; without a header, every member has. */
  hasOne(name: string): boolean
  place(row: WireObject): CellsByColumn
  count(): number
  /** Names that only rows have, in order. */
  added(): string[]
}

function createColumns(headers: readonly unknown[]): Columns {
  const exact = new Map<string, number>()
  const alike = new Map<string, number>()
  const added = new Map<string, number>()
  for (const [index, header] of headers.entries())
    for (const name of headerNames(header)) {
      if (!exact.has(name)) exact.set(name, index)
      if (comparableName(name) !== '' && !alike.has(comparableName(name)))
        alike.set(comparableName(name), index)
    }
  const columnOf = (name: string, taken: CellsByColumn): number => {
    const named = exact.get(name) ?? alike.get(comparableName(name))
    if (named !== undefined && !taken.has(named)) return named
    const column = added.get(name) ?? headers.length + added.size
    added.set(name, column)
    return column
  }
  return {
    isNamed: (name) => exact.has(name),
    isAlike: (name) => exact.has(name) || alike.has(comparableName(name)),
    hasOne: (name) => headers.length === 0 || exact.has(name) || alike.has(comparableName(name)),
    place(row) {
      const cells = new Map<number, unknown>()
      const members = Object.entries(row)
      // Exact names take their columns first.
      for (const [name, cell] of members) if (exact.has(name)) cells.set(columnOf(name, cells), cell)
      for (const [name, cell] of members) if (!exact.has(name)) cells.set(columnOf(name, cells), cell)
      return cells
    },
    count: () => headers.length + added.size,
    added: () => [...added.keys()],
  }
}

/** The names by which rows may call a column: its text, or its key. */
function headerNames(header: unknown): string[] {
  const text = plainText(header).trim()
  if (!isWireObject(header)) return [text]
  const { key, id, field, name } = header
  return [key, id, field, name, text].filter((name) => typeof name === 'string')
}

/** `Tidal range` and `tidal_range` are equal. */
const comparableName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
