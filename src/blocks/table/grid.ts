import { LIMITS } from '../../contract/limits.ts'

/** How many columns and rows a cell takes; one where left out. */
export interface Span {
  colspan?: number
  rowspan?: number
}

interface PlacedCell<Cell> extends Required<Span> {
  cell: Cell
  column: number
}

/** A row, and the columns behind its cells that no cell of a row above takes. */
export interface PlacedRow<Cell> {
  cells: PlacedCell<Cell>[]
  free: number
}

/** As browsers read it. */
const MAX_COLSPAN = 1_000

/**
 * Columns of a table, spans included. A column is one where a cell begins, so that a huge span adds none.
 * @param sections the rows of the head, the body and the footer
 */
export function gridWidth<Cell>(
  sections: readonly (readonly (readonly Cell[])[])[],
  spanOf: (cell: Cell) => Span,
): number {
  const isSpanned = (cell: Cell) => {
    const { colspan, rowspan } = spanOf(cell)
    return colspan !== undefined || rowspan !== undefined
  }
  const ends = sections.flatMap((rows) =>
    rows.some((row) => row.some(isSpanned))
      ? placeRows(rows, Number.POSITIVE_INFINITY, spanOf).map(({ cells }) => (cells.at(-1)?.column ?? -1) + 1)
      : rows.map(({ length }) => length),
  )
  return ends.reduce((widest, end) => Math.max(widest, end), 0)
}

/** Places the rows of one section as browsers do. A span ends with the section, with the table, and where it meets another. */
export function placeRows<Cell>(
  rows: readonly (readonly Cell[])[],
  width: number,
  spanOf: (cell: Cell) => Span,
): PlacedRow<Cell>[] {
  /** By column: the row where a cell from above ends. */
  const taken: number[] = []
  return rows.map((row, index) => {
    const isTaken = (column: number) => (taken[column] ?? 0) > index
    const cells: PlacedCell<Cell>[] = []
    let column = 0
    for (const cell of row) {
      // Beyond the limit the width alone counts, which refuses the table.
      if (column > LIMITS.cells) break
      while (isTaken(column)) column += 1
      const span = spanOf(cell)
      const most = Math.min(span.colspan ?? 1, MAX_COLSPAN, width - column)
      let colspan = 1
      while (colspan < most && !isTaken(column + colspan)) colspan += 1
      const rowspan = Math.min(span.rowspan ?? 1, rows.length - index)
      if (rowspan > 1) for (let at = 0; at < colspan; at += 1) taken[column + at] = index + rowspan
      cells.push({ cell, column, colspan, rowspan })
      column += colspan
    }
    let free = 0
    if (Number.isFinite(width)) for (let at = column; at < width; at += 1) if (!isTaken(at)) free += 1
    return { cells, free }
  })
}
