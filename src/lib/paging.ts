import { GalleyError } from '../errors.ts'

/** Which part of a list is asked for. */
export interface PageRequest {
  /** Most items. */
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
export function toPage<Row extends { id: string }>(rows: Row[], limit: number): Page<Row> {
  const items = rows.slice(0, limit)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

/** What a list throws that is asked for the page after one of another order. */
export const invalidCursor = (): GalleyError =>
  new GalleyError({
    code: 'CURSOR_UNFIT',
    httpStatus: 422,
    message:
      'This cursor is of another order. Give a cursor with the same sort and filters as the page that it came with.',
  })
