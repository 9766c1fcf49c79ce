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
export function activityQueries(name: PeriodName, label: string | undefined) {
  const begins = periods[name].begins(new Date()).map((begin) => begin.toISOString())
  const created_from = begins[0] as string
  const queries = {
    hours: hoursQuery({ created_from, begins, label }),
    causes: causesQuery({ created_from, label }),
  }
  return { since: created_from, queries }
}

/** Those of the parts above the activity. */
export const upperQueries = (label: string | undefined) => [
  causesQuery({ label }),
  siteStatesQuery({ label }),
  countsQuery({ ...recentLosses(), label }),
  countsQuery({ ...inReview, label }),
]

/** All queries of the start, to ask at once. @param search of the address */
export const startQueries = ({ period, label }: { period?: string; label?: string }) => [
  anySiteQuery(),
  ...upperQueries(label),
  ...Object.values(activityQueries(periodNamed(period), label).queries),
]
