import { z } from 'zod'
import { singleLineText, utcTimestamp, uuid } from '../contract/scalars.ts'
import { deliveryFilterSchema } from '../delivery/api/filter.ts'
import { onLossSchema, withdrawSchema } from '../delivery/api/schema.ts'
import { apiCodeSchema } from '../errors.ts'
import { siteFilterSchema } from '../sites/list.ts'
import { siteSettingsPatchSchema } from '../sites/settings.ts'

const noParameters = z.strictObject({})
const labels = z.array(singleLineText(100)).max(50).default([])

const retryParameters = z.strictObject({ on_loss: onLossSchema.optional() })

const deliveryActions = {
  retry: retryParameters,
  release: retryParameters,
  move: z.strictObject({ site_id: uuid.describe('The site that they go to instead.') }),
  overwrite: noParameters,
  withdraw: withdrawSchema,
  cancel: noParameters,
} as const

const siteActions = {
  label: z.strictObject({ add: labels, remove: labels }),
  settings: siteSettingsPatchSchema,
  undo: z.strictObject({ bulk_id: uuid.describe('The job of `label` or `settings` that is undone.') }),
  check: noParameters,
  mail_owner: noParameters,
  pause: z.strictObject({ reason: singleLineText(500).optional() }),
  resume: noParameters,
} as const

export const actions = { ...deliveryActions, ...siteActions }

export type Action = keyof typeof actions
export type DeliveryAction = keyof typeof deliveryActions

export const isDeliveryAction = (action: Action): action is DeliveryAction => action in deliveryActions

/** Whether `undo` gives back what sites had before the job. */
export const isUndoable = ({ action, dryRun }: { action: string; dryRun: boolean }): boolean =>
  !dryRun && (action === 'label' || action === 'settings')

const requestSchema = (name: Action, filter: z.ZodType, parameters: z.ZodType) =>
  z.strictObject({
    action: z.literal(name),
    filter: filter.describe('What it acts on: all that a list with this filter shows.'),
    // An action that must be told something has no default.
    parameters: parameters.safeParse({}).success ? parameters.prefault({}) : parameters,
    dry_run: z.boolean().default(false).describe('Show what it would do, and do nothing.'),
  })

const requestSchemas = Object.entries(actions).map(([name, parameters]) => {
  const action = name as Action
  return requestSchema(action, isDeliveryAction(action) ? deliveryFilterSchema : siteFilterSchema, parameters)
}) as [ReturnType<typeof requestSchema>, ...ReturnType<typeof requestSchema>[]]

export const newBulkSchema = z
  .discriminatedUnion('action', requestSchemas)
  .transform(({ action, filter, parameters, dry_run }) => ({
    action: action as Action,
    filter: filter as Record<string, unknown>,
    parameters: parameters as Record<string, unknown>,
    dryRun: dry_run,
  }))

export type NewBulk = z.output<typeof newBulkSchema>

const bulkStatusSchema = z
  .enum(['collecting', 'working', 'done', 'cancelled', 'failed'])
  .describe(
    'collecting: what matches is written down. failed: Galley failed at it; what is counted was done.',
  )

export const outcomeSchema = z
  .enum(['waiting', 'done', 'skipped', 'failed'])
  .describe('done: of a dry run, it would be. skipped: there is nothing to do any more, or not now.')

export const bulkSchema = z
  .object({
    id: uuid,
    action: z.enum(Object.keys(actions) as [Action, ...Action[]]),
    filter: z.record(z.string(), z.unknown()),
    parameters: z.record(z.string(), z.unknown()),
    dry_run: z.boolean(),
    undoable: z.boolean().describe('Whether a job of `undo` gives back what it changed.'),
    status: bulkStatusSchema,
    matched: z.int().describe('So far, while it is collecting.'),
    done: z.int(),
    skipped: z.int(),
    failed: z.int(),
    reasons: z
      .array(
        z.object({
          outcome: outcomeSchema,
          code: apiCodeSchema,
          message: z.string().describe('Of one of them.'),
          count: z.int(),
        }),
      )
      .describe('Why items were skipped or failed.'),
    created_at: utcTimestamp,
    ended_at: utcTimestamp.nullable(),
  })
  .meta({ id: 'BulkJob' })

export const bulkItemSchema = z
  .object({
    id: uuid.describe('Of the delivery or site.'),
    outcome: outcomeSchema,
    code: apiCodeSchema.nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'BulkItem' })

export type BulkView = z.output<typeof bulkSchema>
export type BulkItemView = z.output<typeof bulkItemSchema>
export type Reason = BulkView['reasons'][number]
