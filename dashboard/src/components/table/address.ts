import type { Filter, View } from '@wordpress/dataviews'
import { searchText } from '../search-text.ts'

/** Fields by which a table filters: by several values, of which a row has one, or by one alone, which may have a comma in it. */
export type Filterable = Readonly<Record<string, 'several' | 'one'>>

/** What of a table stands in the address, so that it can be sent to others and loaded again: what is looked at. */
export interface TableAddress {
  search: string
  /** By field: the values of which one must be it. */
  filters: Record<string, string[]>
  sort: string | undefined
  /** `next_cursor` of the page before; undefined on the first. */
  cursor: string | undefined
}

/** Reads the search of an address. What is in no field is somebody else's, and left alone. */
export function readAddress(search: Record<string, string>, filterable: Filterable): TableAddress {
  const filters: Record<string, string[]> = {}
  for (const [field, how] of Object.entries(filterable)) {
    const asked = search[field] ?? ''
    const values = (how === 'one' ? [asked] : asked.split(',')).filter(Boolean)
    if (values.length > 0) filters[field] = values
  }
  return { search: searchText(search.q ?? ''), filters, sort: search.sort, cursor: search.cursor }
}

/** The search of an address with what a table looks at. */
export function writeAddress(
  before: Record<string, string>,
  { search, filters, sort, cursor }: TableAddress,
  filterable: Filterable,
): Record<string, string | undefined> {
  return {
    ...before,
    ...Object.fromEntries(Object.keys(filterable).map((field) => [field, filters[field]?.join(',')])),
    q: search === '' ? undefined : search,
    sort,
    cursor,
  }
}

/** As DataViews has filters. One that was added and has no value yet is kept in the view alone. */
export const filtersOf = ({ filters }: TableAddress, filterable: Filterable): Filter[] =>
  Object.entries(filters).map(([field, value]) =>
    filterable[field] === 'one'
      ? { field, operator: 'is', value: value[0] }
      : { field, operator: 'isAny', value },
  )

/** The values that were chosen in a view, by field. */
export const valuesOf = (filters: View['filters'] = []): Record<string, string[]> =>
  Object.fromEntries(
    filters.flatMap(({ field, value }) => {
      const values = [value].flat().filter((one) => typeof one === 'string' && one !== '')
      return values.length === 0 ? [] : [[field, values as string[]]]
    }),
  )

/** A filter without the members that it leaves open. */
export const defined = (filter: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
