import {
  causesQuery,
  countsQuery,
  type DeliveryFilter,
  deliveriesQuery,
  hoursQuery,
} from '../../data/deliveries.ts'
import { siteStatesQuery, sitesQuery } from '../../data/sites.ts'

/** Whether there are sites. */
export const anySiteQuery = () => sitesQuery({ limit: 1 })

/** Whether there are deliveries. */
export const anyDeliveryQuery = () => deliveriesQuery({ limit: 1 })

/** Midnight in the viewer's zone. */
export function midnight(): string {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day.toISOString()
}

/** What was delivered with a loss in the last seven days of the viewer's zone. */
export function recentLosses(): DeliveryFilter & { created_from: string } {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - 7)
  return { severity: 'loss', status: 'delivered', created_from: day.toISOString() }
}

/** What waits for review in WordPress. */
export const inReview = { status: 'delivered' as const, post_status: ['draft', 'pending'] }

/** All queries of the start, to ask at once. */
export const startQueries = () => [
  anySiteQuery(),
  causesQuery(),
  siteStatesQuery(),
  countsQuery(recentLosses()),
  countsQuery(inReview),
  countsQuery({ created_from: midnight() }),
  hoursQuery({ created_from: midnight() }),
]
