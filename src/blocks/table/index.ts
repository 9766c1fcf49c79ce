import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { truncate } from '../../lib/text.ts'
import { figcaption, type RenderContext } from '../../render/context.ts'
import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Inline } from '../index.ts'
import {
  leaveOutAlign,
  paragraphMarkup,
  readTextAlign,
  shownAlign,
  type TextAlignment,
  textAlignments,
  textAlignNames,
} from '../paragraph/index.ts'
import type { Reading } from '../read.ts'
import {
  filled,
  firstMember,
  firstTextMember,
  inlineText,
  isForPeople,
  isWireObject,
  plainText,
  textMember,
  textNames,
  type WireObject,
  wireType,
} from '../wire.ts'
import { gridWidth, type PlacedRow, placeRows, type Span } from './grid.ts'

/** A cell: its content alone, as most are, or with how it stands. */
export type Cell = Inline[] | SpecialCell

interface SpecialCell extends Span {
  content: Inline[]
  align?: TextAlignment
  /** Whether it heads its row; those of the headers do. */
  header?: boolean
}

export interface Table {
  type: 'table'
  headers: Cell[]
  rows: Cell[][]
  footer?: Cell[]
  caption?: Inline[]
}

export const contentOf = (cell: Cell): Inline[] => (Array.isArray(cell) ? cell : cell.content)

export const table: BlockDefinition<Table, 'rows' | 'headers' | 'footer' | 'caption' | 'align'> = {
  type: 'table',
  aliases: ['data_table', 'comparison_table'],
  names: {
    rows: ['rows', 'body', 'tbody', 'data', ...textNames],
    headers: 'headers header head thead columns has_header hasHeader header_row withHeadings'.split(' '),
    footer: ['footer', 'foot', 'tfoot'],
    caption: ['caption'],
    align: ['align', 'alignments', 'column_align', 'columnAlign'],
  },
  description: `A table of at most ${LIMITS.cells} cells.`,
  example: {
    headers: ['Port', 'Range'],
    rows: [['Bristol', '12 m'], [{ content: 'No tides: Kiel', colspan: 2, align: 'center' }]],
    caption: 'Mean range at springs',
  },
  shape: ({ inlines }) => {
    const cell = z.union([inlines, cellSchema(inlines)])
    return {
      headers: z.array(cell).describe('The cells of the head. `true` takes the first of `rows` as the head.'),
      rows: z.array(z.array(cell)).describe('Shorter rows are filled up to the widest.'),
      footer: z.array(cell).optional().describe('The cells of the last row, set apart.'),
      caption: inlines.optional().describe('Shown below the table.'),
      align: z
        .array(z.enum(textAlignments).nullable())
        .optional()
        .describe('How the cells of each column stand; `null` for one that is as the theme has it.'),
    }
  },
  read: (members, reading) => {
    const all = rowsOf(members.rows)
    // Some senders say no more than that the first row is one.
    const isFirstHead = members.headers === true && Array.isArray(all[0])
    const body = isFirstHead ? all.slice(1) : all
    const [head, ...further] = headRows(isFirstHead ? all[0] : members.headers, body, reading)
    const [foot] = headRows(members.footer, body, reading)
    const columns = new Columns(Array.isArray(head) ? head : [])
    if (isWireObject(head)) columns.place(head)
    const rows = [...further, ...body].map((row) => cellsOf(row, columns, reading))
    const footer = foot === undefined ? [] : cellsOf(foot, columns, reading)
    const headers =
      head === undefined ? columns.added : Array.isArray(head) ? head : cellsOf(head, columns, reading)
    const width = Math.max(headers.length, footer.length, columns.count())
    const widest = rows.reduce((most, cells) => Math.max(most, cells.length), width)
    const rowCount = [headers, footer].filter(({ length }) => length > 0).length + rows.length
    reading.countCells(rowCount, Math.max(widest, gridWidth([[headers], rows, [footer]], spanOf)))
    const aligned = Array.isArray(members.align) ? members.align : []
    if (aligned !== members.align) leaveOutAlign({ align: members.align }, 'this table', reading)
    const read = (cells: readonly unknown[]) =>
      Array.from(cells, (cell, column) => styled(cell, readCell(cell, reading), aligned[column], reading))
    const caption = reading.inlines(members.caption)
    return [
      {
        type: 'table',
        headers: headers.map((cell, column) =>
          styled(cell, readHeader(cell, reading), aligned[column], reading),
        ),
        rows: rows.map(read),
        ...filled({ footer: read(footer), caption }),
      },
    ]
  },
  /** Column widths follow the text. The default changed (6.1 to 6.8), so the explicit attribute is valid in both. */
  render: {
    block: (node, context) => {
      const rows = renderRows(node, context)
      const caption = context.inlines(node.caption ?? [])
      if (rows === '') return paragraphMarkup.block(caption)
      const figure = `<figure class="wp-block-table"><table>${rows}</table>${figcaption(caption)}</figure>`
      return blockMarkup('table', { hasFixedLayout: false }, figure)
    },
    classic: (node, context) => {
      const rows = renderRows(node, context)
      const caption = context.inlines(node.caption ?? [])
      if (rows === '') return paragraphMarkup.classic(caption)
      const element = `<table>${rows}</table>`
      return caption === '' ? element : `<figure>${element}<figcaption>${caption}</figcaption></figure>`
    },
  },
  parts: ({ headers, rows, footer, caption }) => [
    ...[headers, ...rows, footer ?? []].flatMap((row) => row.map(contentOf)),
    ...(caption ? [caption] : []),
  ],
  /** A row is one sentence, with the heads of its columns. */
  spoken: ({ headers, rows, footer = [], caption }) => [
    ...[...rows, footer].map((row): Inline[] => [{ type: 'text', text: spokenRow(row, headers) }]),
    ...(caption ? [caption] : []),
  ],
}

const spokenRow = (row: readonly Cell[], headers: readonly Cell[]): string =>
  row
    .map((cell, column) => [headers[column] ?? [], cell].map((one) => inlineText(contentOf(one)).trim()))
    .flatMap(([head = '', text = '']) =>
      /[\p{L}\p{N}]/u.test(text) ? [head && `${head}: `, text].join('') : [],
    )
    .join(', ')

/** The content of `<table>`, with rows padded to the widest; empty for a table without cells. */
function renderRows({ headers, rows, footer = [] }: Table, context: RenderContext): string {
  const head = headers.length > 0 ? [headers] : []
  const foot = footer.length > 0 ? [footer] : []
  const width = gridWidth([head, rows, foot], spanOfCell)
  if (width === 0) return ''
  // The editor keeps spans since 6.2.
  const hasSpans = context.format === 'classic' || context.isAtLeast(6, 2)
  if (!hasSpans && [headers, ...rows, footer].some((cells) => cells.some(isSpanned)))
    context.warn(
      'format_changed',
      'Cells of a table span several columns or rows, which the editor of this WordPress cannot keep: empty cells stand in their place.',
    )
  const section = (cells: readonly Cell[][], name: string, tag: 'th' | 'td'): string => {
    // An empty `<tbody>` makes the block invalid.
    if (cells.length === 0) return ''
    const empty = `<${tag}></${tag}>`
    const row = (placed: PlacedRow<Cell>): string => {
      let html = ''
      let column = 0
      for (const { cell, column: start, colspan, rowspan } of placed.cells) {
        if (!hasSpans) for (; column < start; column += 1) html += empty
        html += renderCell(cell, tag, hasSpans ? { colspan, rowspan } : {}, context)
        column += 1
      }
      return html + empty.repeat(hasSpans ? placed.free : width - column)
    }
    const all = placeRows(cells, width, spanOfCell).map((placed) => `<tr>${row(placed)}</tr>`)
    return `<${name}>${all.join('')}</${name}>`
  }
  return section(head, 'thead', 'th') + section(rows, 'tbody', 'td') + section(foot, 'tfoot', 'td')
}

function renderCell(cell: Cell, section: 'th' | 'td', span: Span, context: RenderContext): string {
  const html = context.inlines(contentOf(cell))
  if (Array.isArray(cell)) return `<${section}>${html}</${section}>`
  const { colspan = 1, rowspan = 1 } = span
  const tag = (cell.header ?? section === 'th') ? 'th' : 'td'
  const open =
    tag +
    alignAttributes(cell.align, context) +
    (colspan > 1 ? ` colspan="${colspan}"` : '') +
    (rowspan > 1 ? ` rowspan="${rowspan}"` : '')
  return `<${open}>${html}</${tag}>`
}

/** Classic themes know no class for it, and the classic editor writes a style. */
function alignAttributes(written: TextAlignment | undefined, context: RenderContext): string {
  const align = shownAlign(written, context)
  if (align === undefined) return ''
  return context.format === 'block'
    ? ` class="has-text-align-${align}" data-align="${align}"`
    : ` style="text-align: ${align};"`
}

const spanOfCell = (cell: Cell): Span => (Array.isArray(cell) ? {} : cell)
const isSpanned = (cell: Cell): boolean =>
  !Array.isArray(cell) && (cell.colspan !== undefined || cell.rowspan !== undefined)

function cellSchema(inlines: z.ZodType): z.ZodObject {
  const span = z.int().min(1).optional()
  return z
    .looseObject({
      content: inlines,
      colspan: span.describe('How many columns it spans, to the end of the table at most.'),
      rowspan: span.describe('How many rows it spans, to the last one at most.'),
      align: z
        .enum(textAlignments)
        .optional()
        .describe('How its text stands; where left out, as its column.'),
      header: z.boolean().optional().describe('Whether it heads its row or column.'),
    })
    .meta({
      id: 'TableCell',
      description: 'A cell that is more than its text.',
      examples: [{ content: 'Springs', colspan: 2, align: 'center', header: true }],
    })
}

const spanNames = {
  colspan: ['colspan', 'colSpan', 'col_span', 'columnSpan'],
  rowspan: ['rowspan', 'rowSpan', 'row_span'],
} as const

const cellMembers = [...textNames, 'header', ...textAlignNames, ...Object.values(spanNames).flat()]

/** What a cell spans as it is written; what is no number from 2 upwards is left out. */
function spanOf(cell: unknown): Span {
  if (!isWireObject(cell)) return {}
  const [colspan, rowspan] = [spanNames.colspan, spanNames.rowspan].map((names) => {
    const said = firstMember(cell, names)
    const span = typeof said === 'object' ? 1 : Number(said)
    return span >= 2 ? Math.floor(Math.min(span, LIMITS.cells)) : undefined
  })
  return { ...(colspan && { colspan }), ...(rowspan && { rowspan }) }
}

/** A cell with how it stands. @param columnAlign of its column, as written */
function styled(written: unknown, content: Inline[], columnAlign: unknown, reading: Reading): Cell {
  if (!isWireObject(written)) {
    const align = readTextAlign(columnAlign, reading)
    return align ? { content, align } : content
  }
  reading.warnOfUnread(written, {
    what: 'a table cell',
    isKnown: (name) => cellMembers.includes(name),
    free: () => cellMembers.filter((name) => written[name] === undefined),
  })
  const align = readTextAlign(firstMember(written, textAlignNames) ?? columnAlign, reading)
  const isHeader =
    written.header ?? (/^(table_)?header(_cell)?$|^th$/.test(wireType(written) ?? '') || undefined)
  const style = {
    ...spanOf(written),
    ...(align && { align }),
    ...(typeof isHeader === 'boolean' && { header: isHeader }),
  }
  return Object.keys(style).length === 0 ? content : { content, ...style }
}

const readCell = (cell: unknown, reading: Reading): Inline[] =>
  cell === undefined || cell === null ? [] : reading.inlines(typeof cell === 'boolean' ? String(cell) : cell)

/** The words of a column, or its key. */
function readHeader(header: unknown, reading: Reading): Inline[] {
  if (!isWireObject(header) || textMember(header) !== undefined) return readCell(header, reading)
  return readCell(
    firstTextMember(header, ['label', 'title', 'name', 'header', 'key', 'id']) ?? header,
    reading,
  )
}

function rowsOf(written: unknown): readonly unknown[] {
  if (Array.isArray(written)) return written
  if (!isWireObject(written)) return written === undefined || written === null ? [] : [written]
  const rows =
    cellsIn(written) ??
    Object.entries(written).map(([label, cells]) =>
      Array.isArray(cells) && isForPeople(label) ? [label, ...cells] : cells,
    )
  return rows.every(Array.isArray) ? rows : [written]
}

/** Rows of a header or a footer, mostly one: cells, an object of cells by column, or rows as in a body. */
function headRows(written: unknown, body: readonly unknown[], reading: Reading) {
  // Some senders write how many columns there are, or whether there is a head.
  if (written === undefined || written === null || typeof written === 'number' || written === true) return []
  if (isWireObject(written)) {
    const cells = cellsIn(written)
    return [cells === undefined ? written : withLabel(written, cells, 0, reading)]
  }
  if (!Array.isArray(written)) return [[written]]
  const rows = written.map((row) =>
    isWireObject(row) && Array.isArray(row.cells) ? withLabel(row, row.cells, 0, reading) : row,
  )
  const [only] = rows
  const isOneRow = rows.length === 1 && Array.isArray(only) && body.some((row) => isAsWide(row, only.length))
  const areRows = written.every((row) => isWireObject(row) && Array.isArray(row.cells))
  return written.length > 0 && (areRows || isOneRow) ? (rows as unknown[][]) : [written]
}

function isAsWide(row: unknown, width: number): boolean {
  const cells = (Array.isArray(row) ? row : isWireObject(row) ? cellsIn(row) : undefined) ?? []
  return width > 1 && cells.reduce((wide, cell) => wide + (spanOf(cell).colspan ?? 1), 0) === width
}

/** The cells of a row that is an object with an array of them. */
const cellsIn = (row: WireObject): unknown[] | undefined =>
  ['cells', 'columns', 'values', ...textNames].map((name) => row[name]).find(Array.isArray)

/** The head of a row that stands beside its cells: a cell of its own where there is a column for it. */
function withLabel(row: WireObject, cells: unknown[], width: number, reading: Reading): unknown[] {
  const label = firstTextMember(row, ['label', 'name', 'title', 'heading'])
  if (label === undefined) return cells
  if (cells.length < width) return [label, ...cells]
  reading.warn(
    'text_left_out',
    `the label “${truncate(label, 80)}” of a table row has no column and is left out`,
  )
  return cells
}

/** Cells of one row: an array, an object with them, an object keyed by column, or a lone cell. */
function cellsOf(row: unknown, columns: Columns, reading: Reading): readonly unknown[] {
  if (Array.isArray(row)) return row
  if (!isWireObject(row)) return row === undefined || row === null ? [] : [row]
  const { type, ...others } = row
  const isMarked = rowType.test(wireType(row) ?? '')
  const cells = cellsIn(row)
  const isKeyed = Object.keys(others).some((name) => columns.has(name) && !(cells && name === 'cells'))
  if (cells !== undefined && !isKeyed) return withLabel(row, cells, columns.count(), reading)
  if (isWireObject(row.cells) && !columns.has('cells'))
    return wireType(row.cells) === undefined ? columns.place(row.cells) : [row.cells]
  if (isKeyed || isMarked || columns.isOpen() || type === undefined)
    return columns.place(isMarked && !columns.has('type') ? others : row)
  return [row]
}

/** Types that mark a row and are no cell. */
const rowType = /^(table_|header_|body_|data_)?(row|header|body|data)$|^tr$/

/** The columns of a table whose rows name their cells. */
class Columns {
  readonly #headers: readonly unknown[]
  /** Names that only rows have, in order. */
  readonly added: string[] = []
  /** Made once a row names its cells, which most do not. */
  #named: Map<string, number> | undefined

  constructor(headers: readonly unknown[]) {
    this.#headers = headers
  }

  get #columns(): Map<string, number> {
    this.#named ??= new Map(
      this.#headers
        .flatMap((header, index) => headerNames(header).map((name) => [name, index] as const))
        .reverse(),
    )
    return this.#named
  }

  /** Whether a header has this name in any case style. */
  has(name: string): boolean {
    return this.#columns.has(comparableName(name))
  }

  /** Whether no header was written, so that every member of a row has a column. */
  isOpen(): boolean {
    return this.#headers.length === 0
  }

  count(): number {
    return this.#headers.length + this.added.length
  }

  /** The cells of a row keyed by column; a member that no header names gets a column of its own. */
  place(row: WireObject): readonly unknown[] {
    const cells: unknown[] = []
    for (const [name, cell] of Object.entries(row)) {
      const column = this.#columnOf(name)
      // Two names of one column: the second has a column of its own.
      cells[cells[column] === undefined ? column : this.#columnOf(`${name} 2`)] = cell
    }
    return cells
  }

  #columnOf(name: string): number {
    const column = this.#columns.get(comparableName(name)) ?? this.count()
    if (column === this.count()) this.added.push(name)
    this.#columns.set(comparableName(name), column)
    return column
  }
}

/** The names by which rows may call a column: its words, or its key. */
function headerNames(header: unknown): string[] {
  if (!isWireObject(header)) return [comparableName(plainText(header))]
  const { key, id, field, name, accessor } = header
  return [key, id, field, name, accessor, plainText(header)]
    .filter((name) => typeof name === 'string')
    .map(comparableName)
}

/** `Tidal range` and `tidal_range` are equal. */
const comparableName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '') || name
