import type { ListedSite } from '../../api/client.ts'
import { causesQuery, countsQuery, deliveriesQuery, hoursQuery } from '../../data/deliveries.ts'
import { sitesQuery } from '../../data/sites.ts'

/** Whether there are sites. */
export const anySiteQuery = () => sitesQuery({ limit: 1 })

/** Whether there are deliveries. */
export const anyDeliveryQuery = () => deliveriesQuery({ limit: 1 })

/** How many sites are in one of these states. */
export const sitesInQuery = (status: ListedSite['status']) =>
  sitesQuery({ status: [status], limit: 1, total: 'true' })

/** Midnight in the viewer's zone. */
export function midnight(): string {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day.toISOString()
}

/** All queries of the start, to ask at once. */
export const startQueries = () => [
  anySiteQuery(),
  causesQuery(),
  sitesInQuery('problem'),
  countsQuery({ created_from: midnight() }),
  hoursQuery({ created_from: midnight() }),
]
