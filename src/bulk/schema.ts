import { z } from 'zod'
import { apiCodeSchema } from '../api-code.ts'
import { line } from '../contract/text.ts'
import { instant, uuid } from '../contract/wire.ts'
import { deliveryFilterSchema } from '../delivery/api/filter.ts'
import { siteFilterSchema } from '../sites/filter.ts'
import { sitePatchSchema } from '../sites/schema.ts'
import { siteSettingsPatchSchema } from '../sites/settings.ts'

const nothing = z.strictObject({})
const labels = z.array(line(100)).max(50).default([])

/** What each action is told beside what it acts on. */
const deliveryActions = {
  retry: nothing,
  release: nothing,
  move: z.strictObject({ site_id: uuid.describe('The site that they go to instead.') }),
  overwrite: nothing,
  cancel: nothing,
} as const

const siteActions = {
  label: z.strictObject({ add: labels, remove: labels }),
  settings: siteSettingsPatchSchema,
  check: nothing,
  pause: z.strictObject({ reason: line(500).optional() }),
  resume: nothing,
} as const

export const actions = { ...deliveryActions, ...siteActions }

export type Action = keyof typeof actions
export type DeliveryAction = keyof typeof deliveryActions

export const isDeliveryAction = (action: Action): action is DeliveryAction => action in deliveryActions

const dryRun = z.boolean().default(false).describe('Show what it would do, and do nothing.')

const request = (name: Action, filter: z.ZodType, parameters: z.ZodType) =>
  z.strictObject({
    action: z.literal(name),
    filter: filter.describe('What it acts on: all that a list with this filter shows.'),
    parameters: parameters.prefault({}),
    dry_run: dryRun,
  })

const requests = Object.entries(actions).map(([name, parameters]) => {
  const action = name as Action
  return request(action, isDeliveryAction(action) ? deliveryFilterSchema : siteFilterSchema, parameters)
}) as [ReturnType<typeof request>, ...ReturnType<typeof request>[]]

/** Body of `POST /v1/bulk`. */
export const newBulkSchema = z
  .discriminatedUnion('action', requests)
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

/** A bulk job as answers show it. */
export const bulkSchema = z
  .object({
    id: uuid,
    action: z.enum(Object.keys(actions) as [Action, ...Action[]]),
    filter: z.record(z.string(), z.unknown()),
    parameters: z.record(z.string(), z.unknown()),
    dry_run: z.boolean(),
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
    created_at: instant,
    ended_at: instant.nullable(),
  })
  .meta({ id: 'BulkJob' })

/** One delivery or site of it. */
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

/** The change of a site that `settings` asks for. */
export const settingsPatch = (settings: unknown) => sitePatchSchema.parse({ settings })
