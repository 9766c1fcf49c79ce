import { readRequest, type TableRequest } from '../../components/table/request.ts'
import { type SiteQuery, sitesQuery } from '../../data/sites.ts'

/** Fields by which the table filters. */
export const FILTERS = ['status']

/** What is looked for, as the API filters. */
export const filterFor = ({ search, filters }: Pick<TableRequest, 'search' | 'filters'>): SiteQuery => ({
  search: search === '' ? undefined : search,
  status: filters.status as Exclude<SiteQuery['status'], string>,
})

/** A table's request as GET /v1/sites takes it. */
export const queryFor = (request: TableRequest): SiteQuery => ({
  ...filterFor(request),
  limit: request.limit,
  total: 'true',
  cursor: request.cursor,
})

/** What the list asks at an address, before its table is there. */
export const askedAt = (search: Record<string, string>) =>
  sitesQuery(queryFor(readRequest('sites', search, FILTERS)))
