import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import { requestParsed, type WordPressClient } from './client/index.ts'
import { isRequestSpecific } from './failures/index.ts'
import { boundedArray, boundedRecord, keywordSchema, labelSchema } from './fields.ts'

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
  enum: boundedArray(keywordSchema()).optional().catch(undefined),
  properties: boundedRecord(z.unknown(), 5000).catch([]).default([]),
})

const optionsSchema = z.object({
  schema: z.object({
    properties: boundedRecord(property.catch({ properties: [] }), 5000).transform(
      (members) => new Map(members),
    ),
  }),
})

/** Reads the `OPTIONS` answer of a post type's route. */
export async function readPostSchema(
  client: WordPressClient,
  { postType }: { postType: string },
): Promise<PostSchema> {
  const { value } = await requestParsed(client, optionsSchema, {
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
export async function tryReadPostSchema(
  client: WordPressClient,
  type: { postType: string },
): Promise<PostSchema | null> {
  try {
    return await readPostSchema(client, type)
  } catch (error) {
    if (error instanceof GalleyError && (error.fault !== 'site' || isRequestSpecific(error))) return null
    throw error
  }
}

export interface PostType {
  /** `post`, `page`, `product`, … */
  name: string
  /** What the REST API calls it: `posts`. */
  restBase: string
  /** As WordPress shows it: “Posts”. */
  label: string
  /** `category`, `post_tag`, … */
  taxonomies: string[]
  hasContent: boolean
  hasExcerpt: boolean
  hasFeaturedImage: boolean
}

const typeSchema = z
  .object({
    slug: keywordSchema(),
    rest_base: keywordSchema(),
    rest_namespace: keywordSchema().default('wp/v2'),
    name: labelSchema(),
    taxonomies: boundedArray(keywordSchema()).default([]),
    supports: z.union([z.record(z.string(), z.unknown()), z.tuple([])]).default({}),
  })
  .transform(({ slug, rest_base, rest_namespace, name, taxonomies, supports }) => ({
    namespace: rest_namespace,
    type: {
      name: slug,
      restBase: rest_base,
      label: name,
      taxonomies,
      hasContent: 'editor' in supports,
      hasExcerpt: 'excerpt' in supports,
      hasFeaturedImage: 'thumbnail' in supports,
    } satisfies PostType,
  }))

/** Parts of WordPress that are stored as posts and are none. */
const INTERNAL = /^(attachment|nav_menu_item|wp_.*)$/

/** The post types that the user may edit and a document can become, as far as the REST API shows them. */
export async function readPostTypes(client: WordPressClient): Promise<PostType[]> {
  const { value } = await requestParsed(client, boundedRecord(typeSchema, 1000), {
    path: '/wp/v2/types',
    query: { context: 'edit' },
    doing: 'reading the post types',
    subject: 'site',
  })
  return value
    .filter(([, { namespace, type }]) => namespace === 'wp/v2' && !INTERNAL.test(type.name))
    .map(([, { type }]) => type)
}

export interface SeoField {
  plugin: string
  /** Key under `meta`. */
  key: string
}

/**
 * Where SEO plugins keep a post's description. SEOPress and Yoast SEO (28) register it for the REST API, others do not, so
 * what the site's own schema lists decides; the order is by how many sites have the plugin. All in One SEO and SureRank
 * are not among them: they keep descriptions elsewhere and do not read a key of `meta`.
 */
export const seoFields: readonly SeoField[] = [
  { plugin: 'Yoast SEO', key: '_yoast_wpseo_metadesc' },
  { plugin: 'Rank Math', key: 'rank_math_description' },
  { plugin: 'SEOPress', key: '_seopress_titles_desc' },
  { plugin: 'The SEO Framework', key: '_genesis_description' },
]

/** The field that takes the SEO description on this site; `null` where the site offers none. */
export const seoFieldOf = ({ metaFields }: PostSchema): SeoField | null =>
  seoFields.find(({ key }) => metaFields.includes(key)) ?? null
