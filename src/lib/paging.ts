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

/** What a list throws that is asked for the page after one of another order. */
export const invalidCursor = (): GalleyError =>
  refusal(
    'CURSOR_UNFIT',
    'This cursor is of another order. Give a cursor with the same sort and filters as the page that it came with.',
  )
