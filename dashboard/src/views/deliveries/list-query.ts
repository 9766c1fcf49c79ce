import { type Filterable, readRequest, type TableRequest } from '../../components/table/address.ts'
import { type DeliveryFilter, type DeliveryQuery, deliveriesQuery } from '../../data/deliveries.ts'

/** The columns by which the API filters. */
export const FILTERS: Filterable = {
  status: 'several',
  label: 'one',
  severity: 'one',
  post_status: 'several',
}

type Search = Record<string, string>

/** The API's filter, from the table's filters and the rest of the address. */
export const filterFor = (
  { search, filters }: Pick<TableRequest, 'search' | 'filters'>,
  { delivery_id, code, warning, site_id, document_id, bulk_id, created_from }: Search,
): DeliveryFilter => ({
  delivery_id: delivery_id?.split(','),
  code: code?.split(','),
  warning: warning as DeliveryFilter['warning'],
  severity: filters.severity?.[0] as DeliveryFilter['severity'],
  post_status: filters.post_status,
  site_id: site_id?.split(','),
  label: filters.label?.[0],
  document_id,
  bulk_id,
  created_from,
  search: search === '' ? undefined : search,
  status: filters.status as Exclude<DeliveryFilter['status'], string>,
})

/** The search of the address at which the list has this filter of the API. */
export const addressFor = ({
  search,
  ...filter
}: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...filter,
  q: search,
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
