/** What a receiver can be told of. */
export const outcomes = [
  'delivery.delivered',
  'delivery.held',
  'delivery.failed',
  'site.outage',
  'site.recovered',
  'site.regression',
] as const

export type Outcome = (typeof outcomes)[number]
