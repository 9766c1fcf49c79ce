import {
  causesQuery,
  countsQuery,
  type DeliveryFilter,
  deliveriesQuery,
  hoursQuery,
} from '../../data/deliveries.ts'
import { siteStatesQuery, sitesQuery } from '../../data/sites.ts'
import { type PeriodName, periodNamed, periods } from './periods.ts'

/** Whether there are sites. */
export const anySiteQuery = () => sitesQuery({ limit: 1 })

/** Whether there are deliveries. */
export const anyDeliveryQuery = () => deliveriesQuery({ limit: 1 })

/** What was delivered with a loss in the last seven days of the viewer's zone. */
export function recentLosses(): DeliveryFilter & { created_from: string } {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - 7)
  return { severity: 'loss', status: 'delivered', created_from: day.toISOString() }
}

/** What waits for review in WordPress. */
export const inReview = { status: 'delivered' as const, post_status: ['draft', 'pending'] }

/** What is asked about a period. */
export function activityQueries(name: PeriodName) {
  const begins = periods[name].begins(new Date()).map((begin) => begin.toISOString())
  const created_from = begins[0] as string
  const queries = {
    counts: countsQuery({ created_from }),
    hours: hoursQuery({ created_from, begins }),
    causes: causesQuery({ created_from }),
  }
  return { since: created_from, queries }
}

/** All queries of the start, to ask at once. @param period as the address names it */
export const startQueries = (period: string | undefined) => [
  anySiteQuery(),
  causesQuery(),
  siteStatesQuery(),
  countsQuery(recentLosses()),
  countsQuery(inReview),
  ...Object.values(activityQueries(periodNamed(period)).queries),
]
