import { z } from 'zod'
import {
  booleanParam,
  documentIdSchema,
  nameDocument,
  oneOrMany,
  singleLineText,
  timestampParam,
  uuid,
} from '../../contract/scalars.ts'
import { createConditions } from '../../database/statement.ts'
import { lowestUuidAt } from '../../lib/uuid.ts'
import { type Severity, severityOf, severitySchema, warningCodeSchema } from '../../warnings.ts'
import { type DeliveryStatus, type ShownStatus, shownStatuses, siteKeepsWaiting } from '../ledger/state.ts'

export const deliveryStatusSchema = z
  .enum(shownStatuses)
  .describe(
    'queued: its turn or its time comes. waiting: for its site, which is in trouble or paused. held waits for a person; error says why. cancelled: somebody cancelled it. kept: somebody kept the edited post, and the newer version is not delivered. withdrawn: somebody had its post taken off the site.',
  )

/** What deliveries are looked for by: in the query of a list, and in the JSON of whatever acts on all that match. */
export const deliveryFilterSchema = z.strictObject({
  delivery_id: oneOrMany(uuid).optional().describe('One of these deliveries.'),
  bulk_id: uuid.optional().describe('That this bulk job has changed.'),
  site_id: oneOrMany(uuid).optional().describe('On their way to one of these sites.'),
  label: singleLineText(100).optional().describe('To a site that has this label.'),
  source_id: uuid.optional().describe('Whose newest version came from this source.'),
  status: oneOrMany(deliveryStatusSchema).optional(),
  code: oneOrMany(
    z
      .string()
      .regex(/^\w{1,100}$/)
      .toLowerCase(),
  )
    .optional()
    .describe('`error.code`, one of these: why it is held, failed, or is tried again.'),
  post_status: oneOrMany(z.string().regex(/^[\w-]{1,20}$/))
    .optional()
    .describe(
      'Whose post has this status in WordPress: draft, pending, publish, future, private, trash, …, or deleted.',
    ),
  warning: warningCodeSchema.optional().describe('That have a warning of this code.'),
  severity: severitySchema.optional().describe('That have a warning of this severity.'),
  attention: booleanParam
    .optional()
    .describe('true: those that wait for somebody, held or failed. false: all others.'),
  search: singleLineText(255)
    .optional()
    .describe('Text that the title or the sender’s own reference has, whatever its case.'),
  document_id: documentIdSchema.optional().describe('Its UUID, or the sender’s own reference.'),
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

/** What waits for somebody. */
export const needsAttention: readonly ShownStatus[] = ['held', 'failed']

/** The states that a filter lets through; undefined for all. */
export function statusesOf({ status, attention }: DeliveryFilter): ShownStatus[] | undefined {
  if (status === undefined && attention === undefined) return undefined
  return shownStatuses.filter(
    (one) =>
      (status === undefined || status.includes(one)) &&
      (attention === undefined || attention === needsAttention.includes(one)),
  )
}

/** The same as they are stored, where queued and waiting are one. */
export const storedStatusesOf = (filter: DeliveryFilter): DeliveryStatus[] | undefined =>
  statusesOf(filter) && [
    ...new Set(statusesOf(filter)?.map((status) => (status === 'waiting' ? 'queued' : status))),
  ]

/** Whether deliveries that wait for their sites are to be told from those that are queued; undefined for not. */
export function waitingIn(filter: DeliveryFilter): boolean | undefined {
  const statuses = statusesOf(filter) ?? []
  const waiting = statuses.includes('waiting')
  return waiting === statuses.includes('queued') ? undefined : waiting
}

/** The severity of which a row that matches has a warning: that which is asked for, or that of the code. */
export const severityIn = ({ warning, severity }: DeliveryFilter): Severity | undefined =>
  warning === undefined ? severity : severityOf(warning)

/** As the index of the severity says it: of a parameter, PostgreSQL would not know that it is this one. */
export const hasWarningOf = (severity: Severity): string => `d.warnings @> '[{"severity": "${severity}"}]'`

/** SQL: the job of `:ofBulk` has changed `d`, rather than skipped or failed it. */
export const ofBulk = `d.id IN (SELECT item_id FROM bulk_item WHERE job_id = :ofBulk::uuid AND status = 'done')`

/** An id is made where the webhook comes in, and `created_at` by the database: their clocks differ less than this. */
const CLOCK_SKEW_MS = 60 * 60_000

/** SQL: `d`, a row of `delivery`, is in the scope and matches the filter. `values` has all parameters, with `:accountId`. */
export function deliveryCondition(
  { accountId, siteIds }: DeliveryScope,
  filter: DeliveryFilter,
): { sql: string; values: Record<string, unknown> } {
  const { parts, values, when } = createConditions(['d.account_id = :accountId'], { accountId })
  when(siteIds, 'seenSites', 'd.site_id = ANY (:seenSites::uuid[])')
  when(filter.delivery_id, 'ofDeliveries', 'd.id = ANY (:ofDeliveries::uuid[])')
  when(filter.bulk_id, 'ofBulk', ofBulk)
  when(filter.site_id, 'ofSites', 'd.site_id = ANY (:ofSites::uuid[])')
  when(
    filter.label,
    'ofLabel',
    'd.site_id IN (SELECT s.id FROM site s WHERE s.account_id = :accountId AND :ofLabel = ANY (s.labels))',
  )
  when(filter.source_id, 'ofSource', 'd.source_id = :ofSource::uuid')
  when(storedStatusesOf(filter), 'ofStatuses', 'd.status = ANY (:ofStatuses::text[])')
  const waiting = waitingIn(filter)
  if (waiting !== undefined)
    parts.push(`d.status <> 'queued' OR ${waiting ? '' : 'NOT '}${siteKeepsWaiting('d')}`)
  when(filter.code, 'ofCodes', `d.error IS NOT NULL AND d.error ->> 'code' = ANY (:ofCodes::text[])`)
  when(filter.post_status, 'ofPostStatuses', 'd.post_status = ANY (:ofPostStatuses::text[])')
  for (const severity of new Set([filter.severity, severityIn(filter)]))
    if (severity !== undefined) parts.push(hasWarningOf(severity))
  when(
    filter.warning,
    'ofWarning',
    `d.warnings @> jsonb_build_array(jsonb_build_object('code', :ofWarning::text))`,
  )
  when(
    filter.search,
    'ofSearch',
    `strpos(lower(concat_ws(' ', d.title, d.reference)), lower(:ofSearch::text)) > 0`,
  )
  const document = filter.document_id && nameDocument(accountId, filter.document_id).documentId
  when(document, 'ofDocument', 'd.document_id = :ofDocument::uuid')
  const idAt = (time: string | undefined, skewMs: number) => time && lowestUuidAt(Date.parse(time) + skewMs)
  when(idAt(filter.created_from, -CLOCK_SKEW_MS), 'idFrom', 'd.id >= :idFrom::uuid')
  when(idAt(filter.created_to, CLOCK_SKEW_MS), 'idTo', 'd.id < :idTo::uuid')
  when(filter.created_from, 'createdFrom', 'd.created_at >= :createdFrom::timestamptz')
  when(filter.created_to, 'createdTo', 'd.created_at < :createdTo::timestamptz')
  when(filter.updated_from, 'updatedFrom', 'd.updated_at >= :updatedFrom::timestamptz')
  when(filter.updated_to, 'updatedTo', 'd.updated_at < :updatedTo::timestamptz')
  return { sql: parts.map((part) => `(${part})`).join(' AND '), values }
}
