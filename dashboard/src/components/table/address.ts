import { searchText } from '../search-text.ts'
import { readPreferences } from './preferences.ts'

/** The columns to filter by: by several values, of which a row has one, or by one value, which may contain a comma. */
export type Filterable = Readonly<Record<string, 'several' | 'one'>>

/** The part of a table's state that is in the address, so that it can be sent to others and loaded again. */
export interface TableAddress {
  search: string
  /** The values to filter by, by column. */
  filters: Record<string, string[]>
  /** A column's id, with `-` before it where the order is descending. */
  sort: string | undefined
  /** `next_cursor` of the page before; undefined on the first. */
  cursor: string | undefined
}

/** What a table asks the API for. */
export interface TableRequest extends TableAddress {
  limit: number
}

/** Reads the search parameters of an address. Parameters that are none of the table's are ignored. */
export function readAddress(search: Record<string, string>, filterable: Filterable): TableAddress {
  const filters: Record<string, string[]> = {}
  for (const [column, kind] of Object.entries(filterable)) {
    const text = search[column] ?? ''
    const values = (kind === 'one' ? [text] : text.split(',')).filter(Boolean)
    if (values.length > 0) filters[column] = values
  }
  return { search: searchText(search.q ?? ''), filters, sort: search.sort, cursor: search.cursor }
}

/** @returns the search parameters `before` with those of the table replaced */
export function writeAddress(
  before: Record<string, string>,
  { search, filters, sort, cursor }: TableAddress,
  filterable: Filterable,
): Record<string, string | undefined> {
  return {
    ...before,
    ...Object.fromEntries(Object.keys(filterable).map((column) => [column, filters[column]?.join(',')])),
    q: search === '' ? undefined : search,
    sort,
    cursor,
  }
}

/**
 * What a table will ask for at an address, before the table is loaded.
 *
 * @param name under which its preferences are stored
 */
export const readRequest = (
  name: string,
  search: Record<string, string>,
  filterable: Filterable,
): TableRequest => ({ ...readAddress(search, filterable), limit: readPreferences(name).perPage })

/** A filter without its undefined members. */
export const defined = (filter: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
