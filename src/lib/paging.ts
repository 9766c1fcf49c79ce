import type { z } from 'zod'
import { type GalleyError, refusal } from '../errors.ts'

export interface PageRequest {
  limit: number
  /** Id of the last item of the page before; undefined for the first page. */
  cursor?: string | undefined
}

export interface Page<Item> {
  items: Item[]
  /** Null on the last page. */
  nextCursor: string | null
}

/** A page out of `limit + 1` rows: the one too many only tells that there is another page. */
export function toPage<Row extends { id: string }, Item>(
  rows: Row[],
  limit: number,
  view: (row: Row) => Item,
): Page<Item> {
  const page = rows.slice(0, limit)
  return { items: page.map(view), nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}

/** A row as its schema has it in answers: of `createdAt`, a date, `created_at` in UTC. What the schema does not name is left out. */
export function viewOf<Schema extends z.ZodType>(
  schema: Schema,
  row: object,
  more: Readonly<Record<string, unknown>> = {},
): z.output<Schema> {
  const named = Object.entries(row).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value instanceof Date ? value.toISOString() : value,
  ])
  return schema.parse({ ...Object.fromEntries(named), ...more })
}

/** What a list throws that is asked for the page after one of another order. */
export const invalidCursor = (): GalleyError =>
  refusal(
    'CURSOR_UNFIT',
    'This cursor is of another order. Give a cursor with the same sort and filters as the page that it came with.',
  )
