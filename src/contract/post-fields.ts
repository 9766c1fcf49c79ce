import { z } from 'zod'
import { LIMITS } from './limits.ts'
import { isStorable, singleLineText, termNames, timestampParam } from './scalars.ts'

interface PostField<Schema extends z.ZodType = z.ZodType> {
  /** With its description, which the documentation shows. */
  schema: Schema
  example: z.input<Schema>
  /** A source or a site may set it for documents that leave it out. */
  isDefault?: true
  /** The member of WordPress's REST request that takes the value as it is, or as {@link toMember} writes it. */
  member?: string
  toMember?: (value: z.output<Schema>) => unknown
  /** Its value is a name, which the site is asked about first. */
  isName?: true
  /** Why WordPress may not have stored it, and what to do: the second sentence of a warning. */
  dropped?: string
}

const field = <Schema extends z.ZodType>(one: PostField<Schema>): PostField<Schema> => one

const text = (most: number) => z.string().max(most).refine(isStorable, 'has half of a surrogate pair or NUL')

/** `open` or `closed`; `true` and `false` say the same. */
const openness = z.preprocess(
  (value) => (value === true ? 'open' : value === false ? 'closed' : value),
  z.enum(['open', 'closed'], 'expected "open" or "closed"'),
)

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** What parsed JSON holds: its depth and size are limited as the body's. */
const jsonValue = z.unknown() as z.ZodType<Json>

export const webAddress = z.url({ protocol: /^https?$/, error: 'expected a web address' }).max(LIMITS.address)

/** The formats of posts that WordPress has; a theme shows some of them. */
const postFormats = [
  ...['standard', 'aside', 'audio', 'chat', 'gallery'],
  ...['image', 'link', 'quote', 'status', 'video'],
] as const

/**
 * The fields of a post that a document may set in `delivery.metadata`, beside its categories and tags: WordPress's sidebar.
 * Reading, the defaults of sources and sites, OpenAPI, documentation, the request, what is read back and its warnings
 * derive from this table.
 */
export const postFields = {
  publish_at: field({
    schema: timestampParam.describe(
      'When the post is published, with a zone. In the future, `publish` schedules it; in the past, it is published now with that date. A draft keeps the date until somebody publishes it.',
    ),
    example: '2030-01-31T09:30:00+01:00',
    member: 'date_gmt',
    toMember: (at) => at.replace(/\.\d+Z$/, ''),
    dropped: 'A plugin sets the dates of posts. Set the date in WordPress.',
  }),
  visibility: field({
    schema: z
      .enum(['public', 'private'])
      .describe('`private`: what is to be published is shown to signed-in editors alone.'),
    example: 'private',
    isDefault: true,
  }),
  password: field({
    schema: singleLineText(255).describe('The password that readers are asked for.'),
    example: 'low tide',
    member: 'password',
    dropped: 'Readers may see the post without one: set it in WordPress.',
  }),
  excerpt: field({
    schema: text(LIMITS.description).describe('The excerpt, instead of the description.'),
    example: 'Two high tides, one moon.',
  }),
  slug: field({
    schema: singleLineText(LIMITS.line).describe(
      'The last part of the post’s address, instead of the one in `data`.',
    ),
    example: 'two-tides',
  }),
  author: field({
    schema: singleLineText(200).describe(
      'Whose post it is: the login or display name of a user of the site; an e-mail address where the connected user may list users. The site’s setting `author_aliases` translates names, and `author` is who it is otherwise.',
    ),
    example: 'Ada Lovelace',
    isDefault: true,
    member: 'author',
    isName: true,
    dropped:
      'Posts of this type have no author, or the connected user may not write posts for others: give it the role of an editor.',
  }),
  featured_image: field({
    schema: z
      .union(
        [
          webAddress,
          z.object({
            url: webAddress,
            alt: text(LIMITS.alternativeText).optional(),
            caption: text(LIMITS.line).optional(),
          }),
        ],
        'expected a web address, or an object with "url"',
      )
      .describe(
        'The featured image, instead of the one in `data`: its address, alternative text and caption.',
      ),
    example: { url: 'https://example.com/tide.jpg', alt: 'A beach at low tide', caption: 'Low tide' },
  }),
  format: field({
    schema: z.enum(postFormats).describe('The format of the post.'),
    example: 'aside',
    isDefault: true,
    member: 'format',
    dropped: 'Posts of this type have no formats.',
  }),
  template: field({
    schema: text(255).describe(
      'The theme’s template for the post, by its file or name; empty for the usual one.',
    ),
    example: 'wide.php',
    isDefault: true,
    member: 'template',
    dropped: 'The theme has no such template for posts of this type.',
  }),
  sticky: field({
    schema: z.boolean('expected true or false').describe('Whether the post stays on top of the front page.'),
    example: true,
    isDefault: true,
    member: 'sticky',
    dropped: 'Only posts can be sticky, and not those with a password.',
  }),
  comments: field({
    schema: openness.describe('Whether readers may comment: `open` or `closed`.'),
    example: 'closed',
    isDefault: true,
    member: 'comment_status',
    dropped: 'Posts of this type have no comments, or a plugin decides about them.',
  }),
  pings: field({
    schema: openness.describe('Whether other sites may send pingbacks and trackbacks: `open` or `closed`.'),
    example: 'closed',
    isDefault: true,
    member: 'ping_status',
    dropped: 'Posts of this type have no pingbacks, or a plugin decides about them.',
  }),
  parent: field({
    schema: z
      .union([z.int().min(1).max(2_147_483_647), singleLineText(LIMITS.line)], 'expected a number or a slug')
      .describe('The page above it: its number, or its slug or path.'),
    example: 'about/team',
    isDefault: true,
    member: 'parent',
    isName: true,
    dropped: 'Posts of this type have no parent.',
  }),
  post_type: field({
    schema: z
      .string()
      .regex(/^[a-z0-9_-]{1,40}$/i, 'must be the name of a post type, such as page')
      .describe('The type of the post, by its name or REST base, instead of that of the site.'),
    example: 'page',
    isDefault: true,
  }),
  taxonomies: field({
    schema: z
      .record(singleLineText(100), termNames('term'))
      .refine((map) => Object.keys(map).length <= 50, 'must have at most 50 taxonomies')
      .describe('Terms of other taxonomies by the taxonomy’s name; of hierarchical ones as paths.'),
    example: { genre: ['Essay'], place: ['Europe > France'] },
    isDefault: true,
  }),
  fields: field({
    schema: z
      .record(singleLineText(255), jsonValue)
      .refine((map) => Object.keys(map).length <= 200, 'must have at most 200 fields')
      .describe(
        'Custom fields by their names: post meta, and fields of Advanced Custom Fields, that the site shows in its REST API.',
      ),
    example: { subtitle: 'What the moon does', rating: 4 },
    isDefault: true,
  }),
  seo: field({
    schema: z
      .strictObject({
        title: text(LIMITS.line).optional(),
        description: text(LIMITS.description).optional(),
        focus_keyword: text(LIMITS.line).optional(),
        canonical: webAddress.optional(),
        noindex: z.boolean().optional(),
        social_image: webAddress.optional(),
      })
      .describe(
        'What search engines and social networks show, as far as the site’s SEO plugin takes it over the REST API.',
      ),
    example: { title: 'Why the tide comes twice', focus_keyword: 'tide', noindex: false },
    isDefault: true,
  }),
  language: field({
    schema: z
      .string()
      .regex(/^[a-z0-9_-]{2,20}$/i, 'must be the code of a language, such as en')
      .describe('The code of the document’s language on a multilingual site, as in Polylang.'),
    example: 'en',
    isDefault: true,
  }),
  reference: field({
    schema: singleLineText(255).describe(
      'A name of the sender’s own, which answers and outcomes return and which is searched by, where the `id` of the document is a UUID.',
    ),
    example: 'order-4711',
  }),
  menu_order: field({
    schema: z
      .int('expected a whole number')
      .min(-1_000_000)
      .max(1_000_000)
      .describe('Its place among pages.'),
    example: 3,
    isDefault: true,
    member: 'menu_order',
    dropped: 'Posts of this type have no order.',
  }),
}

export type PostFieldName = keyof typeof postFields

export const postFieldNames = Object.keys(postFields) as PostFieldName[]

/** The fields as they are read; those that are left out are not there. */
export type PostFieldValues = { [Name in PostFieldName]?: z.output<(typeof postFields)[Name]['schema']> }

type Schemas = { [Name in PostFieldName]: z.ZodOptional<z.ZodNullable<(typeof postFields)[Name]['schema']>> }

/** The members of `delivery.metadata`; null is left out. A member of one that is not known is a warning, and no refusal. */
export const postFieldShape = Object.fromEntries(
  Object.entries(postFields).map(([name, { schema, example }]) => [
    name,
    (schema instanceof z.ZodObject ? schema.strip() : (schema as z.ZodType))
      .nullish()
      .meta({ description: schema.description, examples: [example] }),
  ]),
) as Schemas

/** What a source or a site may set for documents that leave it out. */
export const defaultFieldShape = Object.fromEntries(
  Object.entries(postFields)
    .filter(([, { isDefault }]) => isDefault)
    .map(([name, { schema }]) => [
      name,
      (schema as z.ZodType).optional().meta({ description: schema.description }),
    ]),
) as { [Name in PostFieldName]: z.ZodOptional<(typeof postFields)[Name]['schema']> }

/** The members of WordPress's request that these fields are, as they are. */
export const plainMembers = (fields: PostFieldValues): Record<string, unknown> =>
  Object.fromEntries(
    postFieldNames.flatMap((name) => {
      const { member, toMember, isName } = postFields[name] as PostField
      const value = fields[name]
      if (member === undefined || isName || value === undefined) return []
      return [[member, toMember ? toMember(value) : value]]
    }),
  )

/** The field that a member of WordPress's request is for: `format`, `fields` of `meta.subtitle`, `taxonomies` of a REST base. */
export function fieldOfMember(member: string): PostFieldName {
  const own = postFieldNames.find((name) => postFields[name].member === member)
  return own ?? (member.includes('.') ? 'fields' : 'taxonomies')
}

/** A member as its sender calls it: `fields.subtitle`. */
export function nameOfMember(member: string): string {
  const field = fieldOfMember(member)
  if (field === 'fields') return `fields.${member.replace(/^(meta|acf)\./, '')}`
  return field === 'taxonomies' ? `taxonomies.${member}` : field
}
