import { z } from 'zod'
import { several } from '../../contract/filtering.ts'
import { jobErrorSchema } from '../../contract/generation/result-schemas.ts'
import { uuid } from '../../contract/wire.ts'

/** Kinds and states of all jobs; which of the states each kind goes through is in its own status. */
const kind = z.enum(['document', 'audio', 'image'])
const status = z.enum(['pending', 'researching', 'generating', 'images', 'audio', 'completed', 'failed'])
const step = jobErrorSchema.shape.step

/** By what the list of jobs can be filtered; the members of a query. */
export const jobFilterSchema = z.strictObject({
  kind: kind.optional().describe('Only jobs of this kind.'),
  status: several(status).optional().describe('Only those in one of these states.'),
})

/** A job as the list shows it. */
export const jobSchema = z
  .object({
    id: uuid,
    kind,
    status,
    title: z
      .string()
      .describe('Of the finished document; before, and of audio and images, how what was asked for begins.'),
    price: z.int().describe('What it costs in credits; refunded if it fails.'),
    error: jobErrorSchema.nullable(),
    site_id: uuid.nullable().describe('The site that its document is for.'),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Job' })

const partSchema = z.object({
  name: z.string().describe('Such as `outline`, `section-3` or `page-2`.'),
  at: z.iso.datetime().describe('When it was there.'),
})

/** A job with all that is known of it, but for its result. */
export const jobInDetailSchema = jobSchema
  .extend({
    request: z.record(z.string(), z.unknown()).describe('What was asked for, with every default.'),
    steps: z
      .array(
        z.object({
          step,
          of: z.int().nullable().describe('How many parts it has, where that is known.'),
          parts: z.array(partSchema).describe('Those that are there, in the order in which they came.'),
        }),
      )
      .describe('The steps that it goes through, in their order.'),
    sources: z
      .array(z.object({ url: z.string(), title: z.string(), published: z.string().nullable() }))
      .describe('Pages that were read for it.'),
  })
  .meta({ id: 'JobInDetail' })

/** What a request would cost, and whether it would be taken. */
export const priceSchema = z
  .object({
    price: z.int().describe('Credits.'),
    credits: z.int().nullable().describe('What the account has; null where it has no limit.'),
    unavailable: z
      .object({ message: z.string(), settings: z.array(z.string()) })
      .nullable()
      .describe(
        'Why it cannot be created here, and which settings whoever runs this Galley has to set; null where it can.',
      ),
  })
  .meta({ id: 'Price' })

export type JobFilter = z.output<typeof jobFilterSchema>
export type JobView = z.output<typeof jobSchema>
export type JobInDetail = z.output<typeof jobInDetailSchema>
export type PriceView = z.output<typeof priceSchema>
