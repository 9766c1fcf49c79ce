import { causesQuery, countsQuery, hoursQuery } from '../../data/deliveries.ts'
import { sitesQuery } from '../../data/sites.ts'

/** Whether there is any site yet. */
export const anySiteQuery = () => sitesQuery({ limit: 1 })

/** Midnight in the viewer's zone. */
export function midnight(): string {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day.toISOString()
}

/** All that the start asks, to be asked at once. */
export const startQueries = () => [
  anySiteQuery(),
  causesQuery(),
  countsQuery({ created_from: midnight() }),
  hoursQuery({ created_from: midnight() }),
]
