import { z } from 'zod'
import { booleanParam, oneOrMany, singleLineText, timestampParam, uuid } from '../../contract/scalars.ts'
import { type DeliveryStatus, deliveryStatuses } from '../ledger/state.ts'

export const deliveryStatusSchema = z
  .enum(deliveryStatuses)
  .describe('held waits for a person; error says why. cancelled: somebody cancelled it.')

/** What deliveries are looked for by: in the query of a list, and in the JSON of whatever acts on all that match. */
export const deliveryFilterSchema = z.strictObject({
  delivery_id: oneOrMany(uuid).optional().describe('One of these deliveries.'),
  site_id: oneOrMany(uuid).optional().describe('On their way to one of these sites.'),
  label: singleLineText(100).optional().describe('To a site that has this label.'),
  source_id: uuid.optional().describe('Whose newest version came from this source.'),
  status: oneOrMany(deliveryStatusSchema).optional(),
  code: z
    .string()
    .regex(/^\w{1,100}$/)
    .toLowerCase()
    .optional()
    .describe('`error.code`: why it is held, failed, or is tried again.'),
  attention: booleanParam
    .optional()
    .describe('true: those that wait for somebody, held or failed. false: all others.'),
  title: singleLineText(200).optional().describe('Text that the title has, whatever its case.'),
  document_id: uuid.optional(),
  created_from: timestampParam.optional(),
  created_to: timestampParam.optional().describe('Before this moment.'),
  updated_from: timestampParam.optional(),
  updated_to: timestampParam.optional().describe('Before this moment.'),
})

export type DeliveryFilter = z.output<typeof deliveryFilterSchema>

/** Whose deliveries may be seen: an account's, or those of some of its sites. A caller is one. */
export interface DeliveryScope {
  accountId: string
  /** Null for all sites. */
  siteIds: string[] | null
}

/** A part of a statement, with the values of its parameters. */
interface Condition {
  sql: string
  values: Record<string, unknown>
}

/** What waits for somebody. */
export const needsAttention: readonly DeliveryStatus[] = ['held', 'failed']

/** The states that a filter lets through; undefined for all. */
export function statusesOf({ status, attention }: DeliveryFilter): DeliveryStatus[] | undefined {
  if (status === undefined && attention === undefined) return undefined
  return deliveryStatuses.filter(
    (one) =>
      (status === undefined || status.includes(one)) &&
      (attention === undefined || attention === needsAttention.includes(one)),
  )
}

/**
 * The condition on `d`, a row of `delivery`, that it is in the scope and matches the filter. Its parameters are the only
 * ones in `values`; `:accountId` is among them.
 */
export function deliveryCondition(scope: DeliveryScope, filter: DeliveryFilter): Condition {
  const parts = [
    { sql: 'd.account_id = :accountId', values: { accountId: scope.accountId } },
    ...scopeConditions(scope),
    ...filterConditions(scope, filter),
  ]
  return {
    sql: parts.map(({ sql }) => `(${sql})`).join(' AND '),
    values: Object.assign({}, ...parts.map(({ values }) => values)),
  }
}

const scopeConditions = ({ siteIds }: DeliveryScope): Condition[] =>
  siteIds === null ? [] : [{ sql: 'd.site_id = ANY (:seenSites::uuid[])', values: { seenSites: siteIds } }]

function filterConditions({ accountId }: DeliveryScope, filter: DeliveryFilter): Condition[] {
  const parts: Condition[] = []
  const when = <Value>(value: Value | undefined, name: string, sql: string) => {
    if (value !== undefined) parts.push({ sql, values: { [name]: value } })
  }
  when(filter.delivery_id, 'ofDeliveries', 'd.id = ANY (:ofDeliveries::uuid[])')
  when(filter.site_id, 'ofSites', 'd.site_id = ANY (:ofSites::uuid[])')
  if (filter.label !== undefined)
    parts.push({
      sql: 'd.site_id IN (SELECT s.id FROM site s WHERE s.account_id = :accountId AND :ofLabel = ANY (s.labels))',
      values: { accountId, ofLabel: filter.label },
    })
  when(filter.source_id, 'ofSource', 'd.source_id = :ofSource::uuid')
  when(statusesOf(filter), 'ofStatuses', 'd.status = ANY (:ofStatuses::text[])')
  when(filter.code, 'ofCode', `d.error IS NOT NULL AND d.error ->> 'code' = :ofCode::text`)
  when(filter.title, 'ofTitle', 'strpos(lower(d.title), lower(:ofTitle::text)) > 0')
  when(filter.document_id, 'ofDocument', 'd.document_id = :ofDocument::uuid')
  when(filter.created_from, 'createdFrom', 'd.created_at >= :createdFrom::timestamptz')
  when(filter.created_to, 'createdTo', 'd.created_at < :createdTo::timestamptz')
  when(filter.updated_from, 'updatedFrom', 'd.updated_at >= :updatedFrom::timestamptz')
  when(filter.updated_to, 'updatedTo', 'd.updated_at < :updatedTo::timestamptz')
  return parts
}
