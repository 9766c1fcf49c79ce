import { z } from 'zod'
import type { MediaRecord, PostRecord } from './types.ts'

/** PHP writes an empty map as `[]`. */
const mapOf = <Value extends z.ZodType>(value: Value) =>
  z.union([z.record(z.string(), value), z.tuple([]).transform((): Record<string, z.output<Value>> => ({}))])

/** `raw` is there in `context=edit` alone; a post type without the feature leaves the whole field out. */
const raw = z.object({ raw: z.string() }).transform((field) => field.raw)

const TEXTS = ['title', 'content', 'excerpt'] as const

const ACTION = 'wp:action-'

/** Worked out by WordPress for the user who asks, with every plugin's say. */
const actions = z.record(z.string(), z.unknown()).transform((links) =>
  Object.keys(links)
    .filter((relation) => relation.startsWith(ACTION))
    .map((relation) => relation.slice(ACTION.length)),
)

/** A post of any type, as `context=edit` answers it. */
export const postSchema = z
  .object({
    id: z.number(),
    status: z.string(),
    slug: z.string(),
    link: z.string(),
    modified_gmt: z.string(),
    author: z.number().default(0),
    title: raw.optional(),
    content: raw.optional(),
    excerpt: raw.optional(),
    categories: z.array(z.number()).default([]),
    tags: z.array(z.number()).default([]),
    featured_media: z.number().default(0),
    meta: mapOf(z.unknown()).default({}),
    _links: actions.default([]),
  })
  .transform(
    ({ featured_media, modified_gmt, _links, title, content, excerpt, ...post }): PostRecord => ({
      ...post,
      title: title ?? '',
      content: content ?? '',
      excerpt: excerpt ?? '',
      lacks: TEXTS.filter((field) => ({ title, content, excerpt })[field] === undefined),
      featuredMedia: featured_media,
      modifiedGmt: modified_gmt,
      actions: _links,
    }),
  )

const sizeSchema = z
  .object({ source_url: z.string(), width: z.coerce.number(), height: z.coerce.number() })
  .transform(({ source_url, width, height }) => ({ url: source_url, width, height }))

/** An attachment, as `context=edit` answers it. */
export const mediaSchema = z
  .object({
    id: z.number(),
    slug: z.string(),
    status: z.string(),
    link: z.string().default(''),
    source_url: z.string(),
    mime_type: z.string(),
    alt_text: z.string().default(''),
    post: z.number().nullable().default(0),
    media_details: mapOf(z.unknown()).default({}),
  })
  .transform(({ source_url, mime_type, alt_text, post, media_details, ...media }): MediaRecord => {
    const details = detailsSchema.parse(media_details)
    return {
      ...media,
      sourceUrl: source_url,
      mimeType: mime_type,
      altText: alt_text,
      post: post ?? 0,
      sizes: details.sizes,
      ...(details.width === undefined ? {} : { width: details.width }),
      ...(details.height === undefined ? {} : { height: details.height }),
    }
  })

const detailsSchema = z.object({
  sizes: mapOf(sizeSchema).default({}),
  width: z.number().optional(),
  height: z.number().optional(),
})
