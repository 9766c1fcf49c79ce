import { z } from 'zod'
import { recoverWith } from '../errors.ts'
import { requestParsed, type WordPressClient } from './client/client.ts'
import { judge } from './failures/judge.ts'
import { boundedArray, boundedRecord, keywordSchema, labelSchema } from './fields.ts'

/** What the REST API accepts for a post of one type; what is not listed is ignored without a word. */
export interface PostSchema {
  fields: string[]
  /** Keys of `meta` that are registered for the REST API. */
  metaFields: string[]
  statuses: string[]
  /** JSON Schemas of the fields that it shows, by their paths: `meta.subtitle`, `acf.region`. */
  customFields: ReadonlyMap<string, unknown>
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
    customFields: new Map(
      ['acf', 'meta'].flatMap((map) => fieldsOf(map).map(([name, field]) => [`${map}.${name}`, field])),
    ),
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

/** As {@link readPostSchema}; null where this question alone is refused, as firewalls refuse OPTIONS. */
export const tryReadPostSchema = (
  client: WordPressClient,
  type: { postType: string },
): Promise<PostSchema | null> =>
  readPostSchema(client, type).catch(
    recoverWith(null, (failure) => failure.fault !== 'site' || judge(failure).ofRequest),
  )

/** As {@link tryReadPostSchema}, remembered for a while. @param suffices false where it lacks what is looked for */
export const recallPostSchema = (
  client: WordPressClient,
  type: { postType: string },
  suffices: (schema: PostSchema) => boolean = () => true,
): Promise<PostSchema | null> =>
  client.traffic.remember(
    JSON.stringify([client.site.restRoot, client.site.username, 'schema', type.postType]),
    () => tryReadPostSchema(client, type),
    (known) => known === null || suffices(known),
  )

const taxonomySchema = z.object({
  slug: keywordSchema(),
  name: labelSchema(),
  rest_base: keywordSchema(),
  rest_namespace: keywordSchema().default('wp/v2'),
  hierarchical: z.boolean().default(false),
})

export type SiteTaxonomy = z.output<typeof taxonomySchema>

/** The taxonomies at the route of core, as far as the REST API shows them. */
export async function readTaxonomies(client: WordPressClient): Promise<SiteTaxonomy[]> {
  const { value } = await requestParsed(client, boundedRecord(taxonomySchema, 1000), {
    path: '/wp/v2/taxonomies',
    doing: 'reading the taxonomies',
    subject: 'site',
  })
  return value.map(([, taxonomy]) => taxonomy).filter(({ rest_namespace }) => rest_namespace === 'wp/v2')
}

/** Parts of WordPress that are stored as posts and are none. */
const INTERNAL_TYPES = /^(attachment|nav_menu_item|wp_.*)$/

const typeSchema = z
  .object({
    slug: keywordSchema(),
    rest_base: keywordSchema(),
    rest_namespace: keywordSchema().default('wp/v2'),
    name: labelSchema(),
    supports: z.union([z.record(z.string(), z.unknown()), z.tuple([])]).default({}),
    hierarchical: z.boolean().catch(false),
    has_archive: z.boolean().or(keywordSchema()).catch(false),
  })
  .transform(({ slug, rest_base, rest_namespace, name, supports, hierarchical, has_archive }) => ({
    namespace: rest_namespace,
    /** `post`, `page`, `product`, … */
    name: slug,
    /** What the REST API calls it: `posts`. */
    restBase: rest_base,
    label: name,
    hasContent: 'editor' in supports,
    isHierarchical: hierarchical,
    /** Slug of the list of its posts, empty without one: its name unless it is registered under another. */
    archive: has_archive === true ? slug : has_archive || '',
  }))

export type PostType = z.output<typeof typeSchema>

/** The post types at the route of core. @param context `edit`: those that the user may edit, and whether they have a text */
export async function readPostTypes(
  client: WordPressClient,
  context: 'edit' | 'view' = 'edit',
): Promise<PostType[]> {
  const { value } = await requestParsed(client, boundedRecord(typeSchema, 1000), {
    path: '/wp/v2/types',
    query: { context },
    doing: 'reading the post types',
    subject: 'site',
  })
  return value
    .map(([, type]) => type)
    .filter(({ namespace, name }) => namespace === 'wp/v2' && !INTERNAL_TYPES.test(name))
}

/** Far more languages than a site has; they are read out in sentences. */
const MOST_LANGUAGES = 50

const languageSchema = z
  .object({
    slug: keywordSchema(20),
    name: labelSchema(50),
    is_default: z.boolean().optional().catch(undefined),
  })
  .transform(({ slug, name, is_default }) => ({ slug, name, isDefault: is_default === true }))

/** The languages of a site that Polylang runs; none where it is not there. */
export async function readLanguages(client: WordPressClient) {
  const read = requestParsed(client, boundedArray(languageSchema, MOST_LANGUAGES), {
    path: '/pll/v1/languages',
    doing: 'reading its languages',
    subject: 'site',
  })
  const found = await read.catch(recoverWith(null, ({ code }) => ABSENT.has(code)))
  return found?.value ?? []
}

/** What a site answers that lacks the route; a firewall or a page, where it looks at nothing it does not know. */
const ABSENT: ReadonlySet<string> = new Set(['rest_route_missing', 'not_found', 'firewall_blocked'])

export interface SeoField {
  plugin: string
  /** Key under `meta`. */
  key: string
}

type SeoKeys = Readonly<Record<string, string> & { description: string }>

/** What a document says for search engines, by the keys of `meta` in which each plugin keeps it. */
export const seoKeys: Readonly<Record<string, SeoKeys>> = {
  'Yoast SEO': {
    title: '_yoast_wpseo_title',
    description: '_yoast_wpseo_metadesc',
    focus_keyword: '_yoast_wpseo_focuskw',
    canonical: '_yoast_wpseo_canonical',
    noindex: '_yoast_wpseo_meta-robots-noindex',
    social_image: '_yoast_wpseo_opengraph-image',
  },
  'Rank Math': {
    title: 'rank_math_title',
    description: 'rank_math_description',
    focus_keyword: 'rank_math_focus_keyword',
    canonical: 'rank_math_canonical_url',
    noindex: 'rank_math_robots',
    social_image: 'rank_math_facebook_image',
  },
  SEOPress: {
    title: '_seopress_titles_title',
    description: '_seopress_titles_desc',
    focus_keyword: '_seopress_analysis_target_kw',
    canonical: '_seopress_robots_canonical',
    noindex: '_seopress_robots_index',
    social_image: '_seopress_social_fb_img',
  },
  'The SEO Framework': {
    title: '_genesis_title',
    description: '_genesis_description',
    canonical: '_genesis_canonical_uri',
    noindex: '_genesis_noindex',
    social_image: '_social_image_url',
  },
}

/**
 * Where SEO plugins keep a post’s description, by how many sites have the plugin; what the site’s own schema lists decides. All in One SEO
 * and SureRank keep it outside of `meta`.
 */
export const seoFields: readonly SeoField[] = Object.entries(seoKeys).map(([plugin, { description }]) => ({
  plugin,
  key: description,
}))

/** `noindex` as these plugins keep it, where it is not `1` and `0`. */
export const noindexValues: Readonly<Record<string, readonly [set: unknown, unset: unknown]>> = {
  rank_math_robots: [['noindex'], ['index']],
  _seopress_robots_index: ['yes', ''],
}

export const seoFieldOf = ({ metaFields }: PostSchema): SeoField | null =>
  seoFields.find(({ key }) => metaFields.includes(key)) ?? null
