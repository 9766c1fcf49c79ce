import { z } from 'zod'
import { documentDataSchema } from '../../contract/document.ts'
import { postStatuses, termNames } from '../../contract/webhook.ts'
import type { Preview } from './preview.ts'

/** What a webhook says of its delivery, without the site. */
export const deliveryWithoutSiteSchema = z.looseObject({
  post_status: z.enum(postStatuses).nullish(),
  metadata: z
    .looseObject({ categories: termNames('category').nullish(), tags: termNames('tag').nullish() })
    .nullish(),
})

/** Body of a preview: a webhook as it would come, or of it what counts. */
export const previewRequestSchema = z.looseObject({
  data: documentDataSchema,
  delivery: deliveryWithoutSiteSchema.nullish(),
})

/** What a delivery would do. */
export const previewSchema = z
  .object({
    outcome: z.enum(['delivered', 'held']).describe('held: it would wait for a person; error says why.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    post: z.object({
      title: z.string(),
      slug: z.string(),
      excerpt: z.string(),
      content: z.string().describe('The exact markup; what only an upload provides is a placeholder.'),
      status: z
        .object({ asked: z.enum(postStatuses), result: z.enum(postStatuses).nullable() })
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
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  })
  .meta({ id: 'Preview' })

export const previewView = ({ post, uploads, terms, status, warnings, held }: Preview) =>
  ({
    outcome: held === null ? 'delivered' : 'held',
    error: held,
    post: {
      title: post.title ?? '',
      slug: post.slug ?? '',
      excerpt: post.excerpt ?? '',
      content: post.content ?? '',
      status,
    },
    uploads: uploads.map(({ fileName, mimeType, placeholder: { id, url, sizedUrl }, ...upload }) => ({
      ...upload,
      file_name: fileName,
      mime_type: mimeType,
      placeholder: { id, url, sized_url: sizedUrl },
    })),
    terms,
    warnings,
  }) satisfies z.output<typeof previewSchema>
