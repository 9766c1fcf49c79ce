import { deliveryCondition, deliveryFilterSchema } from '../delivery/api/filter.ts'
import { siteCondition, siteFilterSchema } from '../sites/filter.ts'
import { type Action, type DeliveryAction, isDeliveryAction } from './schema.ts'

/** What a bulk job acts on. */
export interface Wanted {
  accountId: string
  /** The only sites that its key saw when it was made; null for all. */
  siteIds: string[] | null
  action: Action
  filter: unknown
}

/** A part of a statement about `d`, a row of `table`, with the values of its parameters. */
export interface Matching {
  table: 'delivery' | 'site'
  sql: string
  values: Record<string, unknown>
}

/**
 * What matches. A filter that names no status leaves out what is at rest: nobody who says "retry" means all that was ever
 * delivered.
 */
export function matching({ accountId, siteIds, action, filter }: Wanted): Matching {
  if (!isDeliveryAction(action)) {
    const { sql, values } = siteCondition({ accountId, siteIds }, siteFilterSchema.parse(filter))
    return {
      table: 'site',
      sql: `EXISTS (SELECT FROM site s WHERE s.account_id = d.account_id AND s.id = d.id AND ${sql})`,
      values,
    }
  }
  const read = deliveryFilterSchema.parse(filter)
  const { sql, values } = deliveryCondition({ accountId, siteIds }, read)
  const named = read.status !== undefined || read.attention !== undefined
  return { table: 'delivery', sql: `(${sql}) AND ${among(action, named)}`, values }
}

const among = (action: DeliveryAction, named: boolean): string => {
  if (action === 'release') return `d.status = 'held'`
  return named ? 'true' : `d.status NOT IN ('delivered', 'cancelled')`
}
