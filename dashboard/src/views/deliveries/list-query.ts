import { type Filterable, readRequest, type TableRequest } from '../../components/table/address.ts'
import { type DeliveryFilter, type DeliveryQuery, deliveriesQuery } from '../../data/deliveries.ts'

/** Fields by which the table filters. */
export const FILTERS: Filterable = { status: 'several', label: 'one' }

type Search = Record<string, string>

/** What is looked for, as the API filters: in the table, and what else is in the address. */
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

/** A table's request as GET /v1/deliveries takes it. */
export const queryFor = (request: TableRequest, search: Search): DeliveryQuery => ({
  ...filterFor(request, search),
  limit: request.limit,
  total: 'true',
  cursor: request.cursor,
  sort: request.sort === 'created_at' ? 'oldest' : request.sort === '-updated_at' ? 'updated' : 'newest',
})

/** What the list asks at an address, before its table is there. */
export const listQueryAt = (search: Search) =>
  deliveriesQuery(queryFor(readRequest('deliveries', search, FILTERS), search))
