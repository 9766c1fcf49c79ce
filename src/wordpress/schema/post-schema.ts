import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'

/** What the REST API accepts for a post of one type; what is not listed is ignored without a word. */
export interface PostSchema {
  /** `title`, `content`, `categories`, … */
  fields: string[]
  /** Keys of `meta` that are registered for the REST API. */
  metaFields: string[]
  /** Statuses that may be asked for. */
  statuses: string[]
}

const property = z.object({
  enum: z.array(z.string()).optional(),
  properties: z.union([z.record(z.string(), z.unknown()), z.tuple([])]).optional(),
})

const optionsSchema = z.object({
  schema: z.object({
    properties: z.record(z.string(), property.catch({})),
  }),
})

/** Reads the `OPTIONS` answer of a post type's route. */
export async function readPostSchema(
  client: WordPressClient,
  { postType }: { postType: string },
): Promise<PostSchema> {
  const { value } = await read(client, optionsSchema, {
    method: 'OPTIONS',
    path: `/wp/v2/${postType}`,
    doing: 'reading what a post may hold',
    subject: 'post',
  })
  const { properties } = value.schema
  return {
    fields: Object.keys(properties),
    metaFields: Object.keys(properties.meta?.properties ?? {}),
    statuses: properties.status?.enum ?? [],
  }
}
