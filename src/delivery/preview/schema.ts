import { z } from 'zod'
import { deliveryWithoutSiteSchema, postStatuses } from '../../contract/delivery.ts'
import { uuid } from '../../contract/scalars.ts'
import { sentDataSchema } from '../../contract/webhook.ts'
import { apiCodeSchema } from '../../errors.ts'
import { warningSchema } from '../../warnings.ts'

/** Whose defaults fill in what `delivery` leaves out. */
export const sourceChoice = uuid
  .optional()
  .describe('The source whose `defaults` fill in what `delivery` leaves out; without one, nothing does.')

/** Body of a preview: a webhook as it would come, or of it what counts. */
export const previewRequestSchema = z.looseObject({
  data: sentDataSchema,
  delivery: deliveryWithoutSiteSchema.nullish(),
  source_id: sourceChoice,
})

export const previewSchema = z
  .object({
    outcome: z.enum(['delivered', 'held']).describe('held: it would wait for a person; error says why.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    post: z.object({
      title: z.string(),
      slug: z.string(),
      excerpt: z.string(),
      content: z.string().describe('The exact markup; what only an upload provides is a placeholder.'),
      footnotes: z
        .array(z.object({ id: z.string(), content: z.string() }))
        .describe('Notes that the post has outside of its text, in the meta `footnotes`.'),
      status: z
        .object({
          asked: z.enum(postStatuses),
          result: z.enum([...postStatuses, 'future', 'private']).nullable(),
        })
        .describe('result differs where the user may not publish; null where that holds the delivery.'),
    }),
    uploads: z.array(
      z.object({
        url: z.string().describe('Where the document has it.'),
        file_name: z.string(),
        alt: z.string(),
        mime_type: z.string(),
        size: z.int().describe('Bytes.'),
        featured: z.boolean(),
        placeholder: z
          .object({ id: z.int(), url: z.string(), sized_url: z.string() })
          .describe(
            'Placeholders in the markup: for the attachment’s id, for its file, and for its file in the size of the text.',
          ),
      }),
    ),
    terms: z.array(
      z.object({
        taxonomy: z.enum(['categories', 'tags']),
        name: z.string(),
        outcome: z.enum(['exists', 'create', 'left_out']),
        id: z.int().nullable().describe('Of a term that exists.'),
      }),
    ),
    fields: z
      .array(
        z.object({
          name: z
            .string()
            .describe('As in `delivery.metadata`; of several by their names, `fields.subtitle`.'),
          value: z.unknown(),
          outcome: z.enum(['set', 'left_out']),
        }),
      )
      .describe(
        'The fields of the post, from the document, its source or its site; a warning says why one is left out.',
      ),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'Preview' })

export type Preview = z.output<typeof previewSchema>

const previewShape = previewSchema.shape

export const matrixRowSchema = z
  .object({
    site_id: uuid,
    outcome: z
      .enum(['delivered', 'held', 'unanswered', 'not_asked'])
      .describe(
        'held: it would wait for a person. unanswered: the site could not be asked, or not in time. not_asked: the time was over; ask for these once more.',
      ),
    error: z.object({ code: apiCodeSchema, message: z.string() }).nullable(),
    status: previewShape.post.shape.status.nullable(),
    terms: previewShape.terms.describe('What it would find, create and leave out.'),
    uploads: z.int().describe('Files that would come into its library.'),
    warnings: previewShape.warnings.describe('What it would lose, or change.'),
  })
  .meta({ id: 'MatrixRow' })

export type MatrixRow = z.output<typeof matrixRowSchema>
