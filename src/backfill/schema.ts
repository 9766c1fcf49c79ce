import { z } from 'zod'
import { postStatuses, termNames, uuidSchema } from '../contract/webhook.ts'

/** Ids in one request. */
const MOST = 1_000

/** As a webhook has it; here, what is not known is refused. */
const delivery = z.strictObject({
  id: uuidSchema.describe('UUID of the connected site.'),
  post_status: z.enum(postStatuses).optional(),
  metadata: z
    .strictObject({ categories: termNames('category').optional(), tags: termNames('tag').optional() })
    .optional(),
})

/** Body of `POST /v1/sources/{uuid}/backfill`. */
export const backfillSchema = z.strictObject({
  document_ids: z
    .array(uuidSchema)
    .min(1)
    .max(MOST)
    .describe('Documents to ask the upstream for. Those that have a delivery already are left alone.'),
  delivery: delivery
    .optional()
    .describe(
      'Where they go, as `delivery` of a webhook. Left out, the upstream has to say it; else they are kept, and delivered nowhere.',
    ),
})

const askedStatuses = ['waiting', 'found', 'announced', 'failed', 'unknown', 'unusable', 'given_up'] as const

/** A document that was asked for, as lists show it. */
export const backfillDocumentSchema = z
  .object({
    document_id: z.guid(),
    status: z
      .enum(askedStatuses)
      .describe(
        'waiting: asked for again. found: taken in as an event. announced: it has a delivery already. failed: the upstream could not create it. unknown: the upstream does not know it. unusable: its answer cannot be used. given_up: not completed for too long.',
      ),
    tries: z.int(),
    next_at: z.iso.datetime().nullable(),
    problem: z.object({ code: z.string(), message: z.string() }).nullable(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BackfillDocument' })

export type BackfillRequest = z.output<typeof backfillSchema>
export type BackfillDocumentStatus = (typeof askedStatuses)[number]
export type BackfillDocumentView = z.output<typeof backfillDocumentSchema>
