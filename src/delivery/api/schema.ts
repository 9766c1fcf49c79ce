import { z } from 'zod'
import { instant, uuid } from '../../contract/wire.ts'
import { deliveryStatusSchema } from './filter.ts'
import type { DeliveryView, DetailedDeliveryView } from './view.ts'

/** Body of a retry, which may be left out. */
export const retrySchema = z
  .strictObject({
    site_id: uuid.optional().describe('Another connected site to send it to; only while it has no post.'),
    overwrite: z.boolean().default(false).describe('Write over what a person has changed on the post.'),
  })
  .prefault({})

/** A delivery as lists show it. */
export const deliverySchema = z
  .object({
    id: uuid,
    document_id: uuid,
    site_id: uuid,
    status: deliveryStatusSchema,
    post: z
      .object({
        id: z.int(),
        url: z.string().nullable(),
        edit_url: z.string().nullable(),
        status: z.string().nullable().describe('As WordPress last answered it.'),
      })
      .nullable(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    attempts: z.int().describe("Failures that count against this delivery; the site's own do not."),
    next_attempt_at: instant.nullable(),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        step: z.string(),
        details: z.unknown().optional().describe('Facts, by code; what the site answered, above all.'),
      })
      .nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Delivery' }) satisfies z.ZodType<DeliveryView>

/** A delivery with its timeline, the oldest step first. */
export const detailedDeliverySchema = deliverySchema
  .extend({
    timeline: z.array(
      z.object({ at: instant, step: z.string(), outcome: z.string(), detail: z.string().optional() }),
    ),
  })
  .meta({ id: 'DetailedDelivery' }) satisfies z.ZodType<DetailedDeliveryView>
