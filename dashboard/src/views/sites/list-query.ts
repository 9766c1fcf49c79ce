import { type Filterable, readRequest, type TableRequest } from '../../components/table/address.ts'
import { type SiteQuery, sitesQuery } from '../../data/sites.ts'

/** The columns by which the API filters. */
export const FILTERS: Filterable = { state: 'several', label: 'one' }

const SORTS = ['name', '-name', 'state', '-state', 'created', '-created'] as const

type Search = Record<string, string>

/** The API's filter, from the table's filters and the cause in the address: a failure, or a check that found something. */
export const filterFor = (
  { search, filters }: Pick<TableRequest, 'search' | 'filters'>,
  { trouble, finding }: Search,
): SiteQuery => ({
  trouble,
  finding,
  label: filters.label?.[0],
  search: search === '' ? undefined : search,
  state: filters.state as Exclude<SiteQuery['state'], string>,
})

/** The API's query for a request of the table. */
export const queryFor = (request: TableRequest, search: Search): SiteQuery => ({
  ...filterFor(request, search),
  limit: request.limit,
  total: 'true',
  cursor: request.cursor,
  sort: SORTS.find((sort) => sort === request.sort),
})

/** The list's query at an address, before the table is loaded. */
export const listQueryAt = (search: Search) =>
  sitesQuery(queryFor(readRequest('sites', search, FILTERS), search))
