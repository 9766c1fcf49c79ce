import { neutralLine } from './neutral.ts'
import { cut, pad, width } from './width.ts'

/** A column: its head, and what a row has there. */
export interface Column<Row> {
  head: string
  value(row: Row): string | number | null | undefined
  /** It is never cut: an id is of no use in parts. */
  whole?: boolean
}

const GAP = 2
const LEAST = 6

/**
 * Rows as a table for people, in plain text. What came from outside cannot do anything to the terminal.
 *
 * @param columns of the terminal; undefined cuts nothing
 */
export function table<Row>(
  rows: readonly Row[],
  shape: readonly Column<Row>[],
  columns: number | undefined,
): string {
  const cells = rows.map((row) => shape.map(({ value }) => neutralLine(String(value(row) ?? ''))))
  const wanted = shape.map(({ head }, n) => Math.max(width(head), ...cells.map((row) => width(row[n] ?? ''))))
  const widths = columns === undefined ? wanted : narrowed(wanted, shape, columns)
  const line = (texts: string[]) =>
    texts
      .map((text, n) => pad(cut(text, widths[n] ?? 0), widths[n] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd()
  return [line(shape.map(({ head }) => head)), ...cells.map(line)].map((text) => `${text}\n`).join('')
}

/** Takes from the widest that may be cut, place by place, until all fit or nothing is left to take. */
function narrowed<Row>(wanted: number[], shape: readonly Column<Row>[], columns: number): number[] {
  const widths = [...wanted]
  const total = () => widths.reduce((sum, places) => sum + places, GAP * (widths.length - 1))
  for (let over = total() - columns; over > 0; over -= 1) {
    const [widest] = widths
      .map((places, n) => ({ places, n }))
      .filter(({ n }) => shape[n]?.whole !== true)
      .sort((a, b) => b.places - a.places)
    if (widest === undefined || widest.places <= LEAST) break
    widths[widest.n] = widest.places - 1
  }
  return widths
}

/** One thing, a fact a line. What is null or empty is left out. */
export function facts(
  pairs: readonly (readonly [name: string, value: string | number | null | undefined])[],
): string {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const widest = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(widest)}  ${neutralLine(String(value))}\n`).join('')
}
