import { z } from 'zod'
import { onLossChoices } from '../../contract/delivery.ts'
import { referenceSchema, utcTimestamp, uuid } from '../../contract/scalars.ts'
import { warningSchema } from '../../warnings.ts'
import { mergeSides, type ShownStatus, shownStatuses, withdrawTargets } from '../ledger/state.ts'
import { deliveryStatusSchema } from './filter.ts'

export const onLossSchema = z
  .enum(onLossChoices)
  .describe(
    'What to do if this version would lose something, in place of what its document, source or site says: publish it as asked, make it a draft, or hold it.',
  )

/** Body of a retry, which may be left out. */
export const retrySchema = z
  .strictObject({
    site_id: uuid.optional().describe('Another connected site to send it to; only while it has no post.'),
    overwrite: z.boolean().default(false).describe('Overwrite what a person has changed in the post.'),
    status_only: z
      .boolean()
      .default(false)
      .describe('Where a person has changed the post, leave that and set its status alone.'),
    merge: z
      .strictObject({
        compared: z.string().max(64).describe('`merge.compared` of the comparison.'),
        choices: z
          .array(z.enum(mergeSides))
          .max(10_000)
          .describe('A side for each conflict, in the order of title, excerpt and content.'),
      })
      .optional()
      .describe(
        'Write a merge of what a person has changed and of the new version, as `GET /v1/deliveries/{uuid}/edits` shows it. Held again where one of the texts has changed since.',
      ),
    on_loss: onLossSchema.optional(),
  })
  .refine(({ overwrite, status_only, merge }) => [overwrite, status_only, merge].filter(Boolean).length < 2, {
    path: ['status_only'],
    message: 'is one of three: overwrite, merge or status_only',
  })
  .prefault({})

export const withdrawSchema = z.strictObject({
  to: z
    .enum(withdrawTargets)
    .describe('draft: the post becomes a draft again. trash: it is moved to the trash of WordPress.'),
  force: z
    .boolean()
    .default(false)
    .describe('Also where a person has changed the post. Their change stays in it.'),
})

/** A delivery as lists show it. */
export const deliverySchema = z
  .object({
    id: uuid,
    document_id: uuid,
    reference: referenceSchema,
    title: z.string().nullable().describe('Of the newest version; null where it has none that can be shown.'),
    source: z
      .object({ id: uuid, name: z.string().nullable() })
      .nullable()
      .describe('Who sent the newest version; without a name where it was removed.'),
    site_id: uuid,
    site: z
      .object({ name: z.string(), labels: z.array(z.string()) })
      .nullable()
      .describe('Null where it is not connected.'),
    status: deliveryStatusSchema,
    stands: z
      .object({
        step: z.string().nullable(),
        outcome: z.string().nullable(),
        at: utcTimestamp.nullable(),
        waits_for: z
          .enum(['turn', 'time', 'site', 'resume', 'connection', 'owner', 'decision'])
          .nullable()
          .describe(
            'turn: others of its site come first. time: its next attempt. site: it is in trouble, and tried again. resume: the site is paused by hand. connection: the site is not connected. owner: credentials, rights or a setting of the site. decision: a person, about this delivery. null: nothing, or it is under way.',
          ),
        since: utcTimestamp
          .nullable()
          .describe('Where it waits for its site or its owner: since when that has been so.'),
      })
      .describe('The last line of its timeline, and what it waits for.'),
    post: z
      .object({
        id: z.int(),
        url: z.string().nullable(),
        edit_url: z.string().nullable(),
        status: z
          .string()
          .nullable()
          .describe('As Galley last saw it in WordPress; `deleted` where the post is gone.'),
        modified_at: utcTimestamp
          .nullable()
          .describe('When somebody changed the post after Galley’s last write; null where nobody did.'),
        modified_by: z
          .string()
          .nullable()
          .describe('Display name of who did; null where WordPress does not tell.'),
        publish_at: utcTimestamp.nullable().describe('When the post went public, or is to.'),
        seen_at: utcTimestamp.nullable().describe('When Galley last looked.'),
      })
      .nullable(),
    withdraw_to: withdrawSchema.shape.to
      .nullable()
      .describe('Where its post goes, or has gone, by a withdrawal; null for a delivery.'),
    warnings: z.array(warningSchema),
    attempts: z.int().describe("Failures that count against this delivery; the site's own do not."),
    next_attempt_at: utcTimestamp.nullable(),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        step: z.string(),
        details: z.unknown().optional().describe('Facts, by code; what the site answered, above all.'),
      })
      .nullable(),
    created_at: utcTimestamp,
    updated_at: utcTimestamp,
  })
  .meta({ id: 'Delivery' })

export type DeliveryView = z.output<typeof deliverySchema>

const postTextSchema = z.object({ title: z.string(), content: z.string(), excerpt: z.string() })

const mergePiecesSchema = z.array(
  z
    .object({
      kind: z
        .enum(['both', ...mergeSides, 'conflict'])
        .describe(
          'both: the two sides agree. site, next: only that side differs from what Galley wrote, and the merge has it. conflict: both differ; a person chooses.',
        ),
      ...{ galley: z.string(), site: z.string(), next: z.string() },
    })
    .meta({ id: 'MergePiece' }),
)

/** What a person has changed of a post, beside what a newer version says. */
export const editsSchema = z
  .object({
    galley: postTextSchema.describe('As Galley left the post.'),
    site: postTextSchema
      .extend({ status: z.string() })
      .nullable()
      .describe('As it is on its site now; null where it was deleted.'),
    next: postTextSchema
      .nullable()
      .describe('As the version says that waits; null where none waits for what was changed.'),
    merge: z
      .object({
        compared: z.string().describe('Identifies the three texts.'),
        ...{ title: mergePiecesSchema, excerpt: mergePiecesSchema, content: mergePiecesSchema },
      })
      .nullable()
      .describe(
        'The three texts piece by piece, a piece being consecutive blocks; null without `site` or `next`.',
      ),
  })
  .meta({ id: 'PostEdits' })

export const detailedDeliverySchema = deliverySchema
  .extend({
    todo: z
      .string()
      .nullable()
      .describe(
        'What to do about `error`, with which its message may end too; null where there is none, or where the message alone says it.',
      ),
    reconnect: z
      .boolean()
      .describe('Connecting the site again may solve it: as another user, or with a new password.'),
    undo_until: utcTimestamp
      .nullable()
      .describe(
        'Until when `POST /v1/deliveries/{uuid}/undo` puts back the edited text that a choice replaced; null where there is nothing to put back.',
      ),
    event_id: uuid.describe('The event that brought its newest version; it may have been removed since.'),
    media: z
      .array(
        z.object({
          source_url: z.string(),
          id: z.int().nullable().describe('Of the attachment on the site; null while there is none.'),
        }),
      )
      .describe('Its pictures and narration.'),
    timeline: z.array(
      z.object({ at: utcTimestamp, step: z.string(), outcome: z.string(), detail: z.string().optional() }),
    ),
  })
  .meta({ id: 'DetailedDelivery' })

export type DetailedDeliveryView = z.output<typeof detailedDeliverySchema>

const byStatus = <Schema extends z.ZodType>(schema: Schema) =>
  z.object(Object.fromEntries(shownStatuses.map((status) => [status, schema])) as Record<ShownStatus, Schema>)

const countSchema = z
  .object({
    count: z.int(),
    more: z.boolean().describe('There may be more: not all deliveries were looked at.'),
  })
  .meta({ id: 'Count' })

/** How many match. Exact, unless `more`: then so many at least. */
export type BoundedCount = z.output<typeof countSchema>

/** How many match, which a list answers where it is asked for. */
export const totalSchema = countSchema.optional().describe('With `total=true`: how many match.')

/** What a site has on its way. */
export const siteSummaryShape = {
  backlog: countSchema.describe('Queued or under way; counted up to 1,000.'),
  held: countSchema.describe('Waiting for a person; counted up to 1,000.'),
  last_delivery: z
    .object({
      id: uuid,
      status: deliveryStatusSchema,
      title: z.string().nullable(),
      created_at: utcTimestamp,
      ended_at: utcTimestamp
        .nullable()
        .describe('When it was delivered, held, cancelled, kept, withdrawn or given up.'),
    })
    .nullable(),
}

export type SiteDeliverySummary = {
  [Name in keyof typeof siteSummaryShape]: z.output<(typeof siteSummaryShape)[Name]>
}

/** Sites that an answer names of those it counts. */
export const MAX_NAMED_SITES = 20

const siteCountsSchema = z
  .array(z.object({ id: uuid, name: z.string().nullable(), count: z.int() }))
  .describe('Those with the most, twenty at most; without a name where it is not connected.')

const postCountsSchema = z
  .object({
    posts: z.int(),
    sites: z.int(),
    more: z.boolean().describe('There may be more: not all deliveries were looked at.'),
    by_site: siteCountsSchema,
  })
  .meta({ id: 'PostCounts' })

/** How many posts, on how many sites. */
export type PostCounts = z.output<typeof postCountsSchema>

/** How many match, by what became of them and by what is wrong. */
export const countsSchema = z
  .object({
    by_status: byStatus(countSchema),
    by_code: z
      .array(z.object({ code: z.string(), count: z.int(), held: z.int(), failed: z.int() }))
      .describe('Of those that are held or have failed, by `error.code`, the most frequent first.'),
    by_code_more: z.boolean().describe('Not all of these were looked at.'),
    losses: postCountsSchema.describe('Posts that were delivered with a warning of the severity loss.'),
    review: postCountsSchema.describe(
      'Posts that were delivered and wait for review in WordPress: draft or pending.',
    ),
  })
  .meta({ id: 'DeliveryCounts' })

const medianMs = z
  .number()
  .nullable()
  .describe('Median time from the latest request to the post, in milliseconds.')

const spansSchema = z
  .array(
    z.object({
      from: utcTimestamp.describe('When the hour begins: hours are counted from `created_from`.'),
      by_status: byStatus(z.int()),
      median_ms: medianMs,
    }),
  )
  .describe('Those that have something, the earliest first.')

/** How many match, by the hour in which they were received and by what became of them. */
export const hoursSchema = z
  .object({
    hours: spansSchema,
    by_site: z
      .array(z.object({ id: uuid, name: z.string().nullable(), hours: spansSchema }))
      .describe(
        'The same of single sites, eight at most: those with the most that failed, are held or wait, then those with the most. Without a median; without a name where it is not connected.',
      ),
    median_ms: medianMs,
  })
  .meta({ id: 'DeliveryHours' })

export type HourlyCounts = z.output<typeof hoursSchema>

/** Deliveries that wait for the same thing to be done. */
export const causeSchema = z
  .object({
    code: z.string(),
    sentence: z
      .string()
      .describe('How many deliveries, of how many sites, and what the newest of them says.'),
    todo: z.string().nullable().describe('What to do about it, where that is the same for all.'),
    reconnect: z
      .boolean()
      .describe('Connecting the sites again may solve it: as another user, or with a new password.'),
    count: z.int(),
    held: z.int(),
    failed: z.int(),
    site_count: z.int(),
    newest: uuid.describe('The newest of these deliveries.'),
    sites: siteCountsSchema,
    filter: z
      .looseObject({ code: z.string(), status: z.array(deliveryStatusSchema) })
      .describe(
        'With what was asked for: a filter that finds exactly these, in the list and in whatever acts on all that match.',
      ),
  })
  .meta({ id: 'Cause' })

export type Cause = z.output<typeof causeSchema>
