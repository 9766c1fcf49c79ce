import { hash } from 'node:crypto'
import { z } from 'zod'
import { BYLINE_FIELDS } from './authors.ts'
import {
  boundedRecord,
  idListSchema,
  idOrZeroSchema,
  idSchema,
  keywordSchema,
  longTextSchema,
  phpListSchema,
  rawTextSchema,
  siteUrlSchema,
  webUrlSchema,
} from './fields.ts'
import { footnotesIn } from './footnotes.ts'
import type { Byline, BylineField, MediaRecord, PostMembers, PostRecord } from './types.ts'

/** PHP writes an empty map as `[]`. */
const mapOf = <Value extends z.ZodType>(value: Value) =>
  z.union([z.record(z.string(), value), z.tuple([]).transform((): Record<string, z.output<Value>> => ({}))])

/** What a post type may be registered without; WordPress leaves it out of its answers then. */
const OPTIONAL = ['title', 'content', 'excerpt', 'categories', 'tags'] as const

const ACTION = 'wp:action-'

/** Worked out by WordPress for the user who asks, with every plugin's say. */
const actions = boundedRecord(z.unknown(), 1000).transform((links) =>
  links
    .filter(([relation]) => relation.startsWith(ACTION))
    .map(([relation]) => relation.slice(ACTION.length)),
)

/** The fields of Advanced Custom Fields; PHP writes no fields as `[]`. */
const customFields = boundedRecord(z.unknown(), 1000).default([]).catch([])

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0)

const bylineIds = idListSchema.optional().catch(undefined)
const bylines = {
  coauthors: bylineIds,
  ppma_author: bylineIds,
  authorship: bylineIds,
} satisfies Record<BylineField, z.ZodType>

function bylineIn(kept: Record<BylineField, number[] | undefined>): Byline | null {
  const [found] = BYLINE_FIELDS.flatMap((field) => {
    const ids = kept[field]
    return ids === undefined ? [] : [{ field, ids }]
  })
  return found ?? null
}

const classes = phpListSchema(z.string()).optional().catch(undefined)

/** What tells of a post's status and type. */
type StatusHints = Pick<
  z.output<typeof answerSchema>,
  'status' | 'type' | 'link' | 'class_list' | 'permalink_template'
>

/**
 * By its classes; before 6.7 by its addresses: one that is shown to readers has its own, any other one by its number. On a site where all
 * addresses are by number nobody can tell.
 */
function isMovedOn({ status, type, link, class_list, permalink_template }: StatusHints): boolean {
  if (class_list !== undefined)
    return (
      !class_list.includes(`status-${status}`) || (type !== undefined && !class_list.includes(`type-${type}`))
    )
  if (permalink_template !== undefined && !permalink_template.includes('%')) return true
  if (type === 'post' && permalink_template?.includes('%pagename%')) return true
  return link === null || isByNumber(link) === (status === 'publish')
}

/** `/blog/` of `https://example.com/blog/%postname%/` or `https://example.com/blog/title/`; null where a query names the post. */
export function addressPrefix(address: string | null | undefined): string | null {
  if (!address || !URL.canParse(address)) return null
  const { pathname, search } = new URL(address)
  return search === '' ? (/^(.*\/)[^/]+\/?$/.exec(pathname)?.[1] ?? null) : null
}

const isByNumber = (link: string): boolean => /[?&](p|page_id)=\d+/.test(link)

/** Of a post, what it may be known by; an empty title where its type has none. */
export const titledSchema = z
  .object({ id: idSchema, title: rawTextSchema.optional() })
  .transform(({ id, title }) => ({ id, title: title ?? '' }))

const answerSchema = z.looseObject({
  id: idSchema,
  status: keywordSchema(),
  // WordPress keeps 200 bytes of it, each of which may be three characters here.
  slug: keywordSchema(600),
  // Nothing depends on it: the post stands, wherever its site says that it is.
  link: webUrlSchema.nullable().catch(null),
  modified_gmt: keywordSchema(),
  author: idOrZeroSchema.default(0),
  title: rawTextSchema.optional(),
  content: rawTextSchema.optional(),
  excerpt: rawTextSchema.optional(),
  categories: idListSchema.optional(),
  tags: idListSchema.optional(),
  featured_media: idOrZeroSchema.default(0),
  password: z.string().default('').catch(''),
  meta: mapOf(z.unknown()).default({}),
  acf: customFields,
  ...bylines,
  class_list: classes,
  permalink_template: longTextSchema.optional().catch(undefined),
  type: keywordSchema().optional().catch(undefined),
  _links: actions.default([]),
})

/** A password is compared, and not kept. */
export const passwordFingerprint = (password: string): string => hash('sha256', password).slice(0, 16)

/** `{ subtitle: 'x' }` of `meta` as `{ 'meta.subtitle': 'x' }`. */
const prefixed = (prefix: string, members: readonly (readonly [string, unknown])[]): PostMembers =>
  Object.fromEntries(members.map(([name, value]) => [`${prefix}.${name}`, value]))

export const postSchema = answerSchema.transform((answer): PostRecord => {
  const { id, status, slug, link, author, title, content, excerpt, categories, tags, ...asked } = answer
  const { featured_media, modified_gmt, password, meta, acf, _links, ...hints } = asked
  const { coauthors, ppma_author, authorship, class_list, permalink_template, type, ...members } = hints
  const byline = bylineIn({ coauthors, ppma_author, authorship })
  return {
    ...{ id, status, slug, link, author, meta, byline },
    // Without a place for the slug, as of %post_id%, no slug takes the address away.
    addressPrefix: addressPrefix(permalink_template?.includes('%') ? permalink_template : null),
    movedOn: isMovedOn({ status, link, type, class_list, permalink_template }),
    title: title ?? '',
    footnotes: footnotesIn(meta),
    content: content ?? '',
    excerpt: excerpt ?? '',
    categories: categories ?? [],
    tags: tags ?? [],
    lacks: OPTIONAL.filter((field) => answer[field] === undefined),
    emptyFields: acf.filter(([, value]) => isEmpty(value)).map(([name]) => name),
    featuredMedia: featured_media,
    modifiedGmt: modified_gmt,
    hasPassword: password !== '',
    members: {
      ...{ ...members, author, slug },
      ...(byline && { [byline.field]: byline.ids }),
      ...prefixed('meta', Object.entries(meta)),
      ...prefixed('acf', acf),
      ...(password !== '' && { password: passwordFingerprint(password) }),
    },
    actions: _links,
  }
})

/** In pixels; some plugins write it as text. */
const pixels = z.coerce.number().int().min(0).max(1_000_000)

const sizeSchema = z
  .object({ source_url: siteUrlSchema, width: pixels, height: pixels })
  .transform(({ source_url, width, height }) => ({ url: source_url, width, height }))

/** An attachment, as `context=edit` answers it; its addresses may lack the host (`wordpress/media/library.ts`). */
export const mediaSchema = z
  .object({
    id: idSchema,
    slug: keywordSchema(600),
    status: keywordSchema(),
    // Both become part of the post; without a page of its own a picture links to its file.
    source_url: siteUrlSchema,
    link: siteUrlSchema.or(z.literal('')).catch(''),
    mime_type: keywordSchema(),
    alt_text: longTextSchema.default(''),
    post: idOrZeroSchema.nullable().default(0),
    media_details: mapOf(z.unknown()).default({}),
  })
  .transform(
    ({ source_url, mime_type, alt_text, post, media_details, ...media }): MediaRecord => ({
      ...media,
      sourceUrl: source_url,
      mimeType: mime_type,
      altText: alt_text,
      post: post ?? 0,
      ...detailsSchema.parse(media_details),
    }),
  )

/** A size that cannot be read is done without: the picture itself is there. */
const detailsSchema = z.object({
  sizes: z
    .union([boundedRecord(sizeSchema, 200), z.tuple([])])
    .catch([])
    .transform((sizes) => Object.fromEntries(sizes)),
  width: pixels.optional().catch(undefined),
  height: pixels.optional().catch(undefined),
})
