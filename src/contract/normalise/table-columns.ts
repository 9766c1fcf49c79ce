import { isWire, type Wire } from './fields.ts'
import { plainText } from './plain-text.ts'

/** The members of a row by the number of their column. */
export type Placed = ReadonlyMap<number, unknown>

/** The columns of a table: those of its header, and one more for every name that only rows have. */
export interface Columns {
  /** Whether a column of the header has this very name. */
  isNamed(name: string): boolean
  /** Whether one has this name in any case style. */
  isAlike(name: string): boolean
  /** Whether such a member has a column: where there is no header, every one has. */
  hasOne(name: string): boolean
  place(row: Wire): Placed
  /** How many there are by now. */
  count(): number
  /** The names that no header has, in order. */
  added(): string[]
}

export function startColumns(headers: readonly unknown[]): Columns {
  const exact = new Map<string, number>()
  const alike = new Map<string, number>()
  const added = new Map<string, number>()
  for (const [index, header] of headers.entries())
    for (const name of namesOf(header)) {
      if (!exact.has(name)) exact.set(name, index)
      if (letters(name) !== '' && !alike.has(letters(name))) alike.set(letters(name), index)
    }
  const columnOf = (name: string, taken: Placed): number => {
    const named = exact.get(name) ?? alike.get(letters(name))
    if (named !== undefined && !taken.has(named)) return named
    const column = added.get(name) ?? headers.length + added.size
    added.set(name, column)
    return column
  }
  return {
    isNamed: (name) => exact.has(name),
    isAlike: (name) => exact.has(name) || alike.has(letters(name)),
    hasOne: (name) => headers.length === 0 || exact.has(name) || alike.has(letters(name)),
    place(row) {
      const cells = new Map<number, unknown>()
      const members = Object.entries(row)
      // those with the very name go first
      for (const [name, cell] of members) if (exact.has(name)) cells.set(columnOf(name, cells), cell)
      for (const [name, cell] of members) if (!exact.has(name)) cells.set(columnOf(name, cells), cell)
      return cells
    },
    count: () => headers.length + added.size,
    added: () => [...added.keys()],
  }
}

/** What rows may call a column: by its text, or by what the header says is its name. */
function namesOf(header: unknown): string[] {
  const text = plainText(header).trim()
  if (!isWire(header)) return [text]
  const { key, id, field, name } = header
  return [key, id, field, name, text].filter((name) => typeof name === 'string')
}

/** `Tidal range` and `tidal_range` are one. */
const letters = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
