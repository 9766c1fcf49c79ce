import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { listOf, membersOf, word } from '../fields.ts'

/** What the REST API accepts for a post of one type; what is not listed is ignored without a word. */
export interface PostSchema {
  /** `title`, `content`, `categories`, … */
  fields: string[]
  /** Keys of `meta` that are registered for the REST API. */
  metaFields: string[]
  /** Statuses that may be asked for. */
  statuses: string[]
}

const names = membersOf(z.unknown(), 5000).transform((members) => members.map(([name]) => name))

const property = z.object({
  enum: listOf(word()).optional().catch(undefined),
  properties: names.optional().catch(undefined),
})

const optionsSchema = z.object({
  schema: z.object({
    properties: membersOf(property.catch({}), 5000).transform((members) => new Map(members)),
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
    fields: [...properties.keys()],
    metaFields: properties.get('meta')?.properties ?? [],
    statuses: properties.get('status')?.enum ?? [],
  }
}
