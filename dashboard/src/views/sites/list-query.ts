import { type Filterable, readRequest, type TableRequest } from '../../components/table/address.ts'
import { type SiteQuery, sitesQuery } from '../../data/sites.ts'

/** Fields by which the table filters. */
export const FILTERS: Filterable = { status: 'several', label: 'one' }

const SORTS = ['name', '-name', 'status', '-status', 'created', '-created'] as const

type Search = Record<string, string>

/** What is looked for, as the API filters: in the table, and the trouble that the address names. */
export const filterFor = (
  { search, filters }: Pick<TableRequest, 'search' | 'filters'>,
  { trouble }: Search,
): SiteQuery => ({
  trouble,
  label: filters.label?.[0],
  search: search === '' ? undefined : search,
  status: filters.status as Exclude<SiteQuery['status'], string>,
})

/** A table's request as GET /v1/sites takes it. */
export const queryFor = (request: TableRequest, search: Search): SiteQuery => ({
  ...filterFor(request, search),
  limit: request.limit,
  total: 'true',
  cursor: request.cursor,
  sort: SORTS.find((sort) => sort === request.sort),
})

/** What the list asks at an address, before its table is there. */
export const listQueryAt = (search: Search) =>
  sitesQuery(queryFor(readRequest('sites', search, FILTERS), search))
