import { z } from 'zod'
import { line } from '../contract/text.ts'
import { postStatuses, termNames, uuidSchema } from '../contract/webhook.ts'

const NAMED = 1_000

/** How far the documents of a source may go. Replaced as a whole. */
export const limitsSchema = z.strictObject({
  sites: z
    .array(uuidSchema)
    .max(NAMED)
    .default([])
    .describe('Ids of the sites that it may send to. With `labels`, either is enough; with neither, all.'),
  labels: z
    .array(line(100))
    .max(100)
    .default([])
    .describe('It may send to sites that have one of these labels.'),
  highest_status: z
    .enum(postStatuses)
    .nullable()
    .default(null)
    .describe(
      'A document that asks for more is delivered as this, with a warning: draft, pending, publish, in this order. Null for no limit.',
    ),
})

/** What a document gets that leaves it out; an empty list is none, and not left out. */
export const defaultsSchema = z.strictObject({
  post_status: z.enum(postStatuses).optional().describe('Instead of draft.'),
  categories: termNames('category').optional(),
  tags: termNames('tag').optional(),
})

export type Limits = z.output<typeof limitsSchema>
