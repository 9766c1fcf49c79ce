import { type Filterable, readRequest, type TableRequest } from '../../components/table/address.ts'
import { type DeliveryFilter, type DeliveryQuery, deliveriesQuery } from '../../data/deliveries.ts'

/** The columns by which the API filters. */
export const FILTERS: Filterable = { status: 'several', label: 'one' }

type Search = Record<string, string>

/** The API's filter, from the table's filters and the rest of the address. */
export const filterFor = (
  { search, filters }: Pick<TableRequest, 'search' | 'filters'>,
  { code, site_id, document_id, created_from }: Search,
): DeliveryFilter => ({
  code,
  site_id,
  label: filters.label?.[0],
  document_id,
  created_from,
  title: search === '' ? undefined : search,
  status: filters.status as Exclude<DeliveryFilter['status'], string>,
})

/** The API's query for a request of the table. */
export const queryFor = (request: TableRequest, search: Search): DeliveryQuery => ({
  ...filterFor(request, search),
  limit: request.limit,
  total: 'true',
  cursor: request.cursor,
  sort: request.sort === 'created_at' ? 'oldest' : request.sort === '-updated_at' ? 'updated' : 'newest',
})

/** The list's query at an address, before the table is loaded. */
export const listQueryAt = (search: Search) =>
  deliveriesQuery(queryFor(readRequest('deliveries', search, FILTERS), search))
