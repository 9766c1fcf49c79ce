import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import { concernsQuestion } from '../failures/index.ts'
import { listOf, membersOf, word } from '../fields.ts'

/** What the REST API accepts for a post of one type; what is not listed is ignored without a word. */
export interface PostSchema {
  /** `title`, `content`, `categories`, … */
  fields: string[]
  /** Keys of `meta` that are registered for the REST API. */
  metaFields: string[]
  /** Statuses that may be asked for. */
  statuses: string[]
  /** Fields of Advanced Custom Fields that an editor must fill in; nobody asks it of the REST API. */
  requiredFields: string[]
}

const property = z.object({
  enum: listOf(word()).optional().catch(undefined),
  properties: membersOf(z.unknown(), 5000).catch([]).default([]),
})

const optionsSchema = z.object({
  schema: z.object({
    properties: membersOf(property.catch({ properties: [] }), 5000).transform((members) => new Map(members)),
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
  const fieldsOf = (name: string) => properties.get(name)?.properties ?? []
  return {
    fields: [...properties.keys()],
    metaFields: fieldsOf('meta').map(([name]) => name),
    statuses: properties.get('status')?.enum ?? [],
    requiredFields: fieldsOf('acf')
      .filter(([name, field]) => FIELD_NAME.test(name) && isRequired(field))
      .slice(0, MOST_REQUIRED)
      .map(([name]) => name),
  }
}

/** As Advanced Custom Fields lets one be named; they are read out in sentences. */
const FIELD_NAME = /^[\w-]{1,100}$/
const MOST_REQUIRED = 50

const requiredField = z.object({ required: z.literal(true) })

const isRequired = (field: unknown): boolean => requiredField.safeParse(field).success

/**
 * As {@link readPostSchema}; null where this question alone is refused, as firewalls refuse OPTIONS. Any other failure of
 * the site would befall the next request too.
 */
export async function readPostSchemaIfTold(
  client: WordPressClient,
  type: { postType: string },
): Promise<PostSchema | null> {
  try {
    return await readPostSchema(client, type)
  } catch (error) {
    if (error instanceof GalleyError && (error.fault !== 'site' || concernsQuestion(error))) return null
    throw error
  }
}
