import { z } from 'zod'
import { isWireObject, type WireObject } from '../blocks/wire.ts'
import type { Warning } from '../errors.ts'
import {
  defaultFieldShape,
  type PostFieldName,
  type PostFieldValues,
  postFieldNames,
  postFieldShape,
  webAddress,
} from './post-fields.ts'
import { quoted, termNames, trimNames } from './scalars.ts'

export const postStatuses = ['draft', 'publish', 'pending'] as const

/** What the documents of a source may be at most; null for no limit. */
export interface StatusLimit {
  name: string
  highestStatus: (typeof postStatuses)[number] | null
}

const byRank: readonly unknown[] = ['draft', 'pending', 'publish'] satisfies (typeof postStatuses)[number][]

/** The status that a document asks for, within the limit of its source. */
export function limitStatus<Status>({ name, highestStatus }: StatusLimit, asked: Status) {
  if (highestStatus === null || byRank.indexOf(asked) <= byRank.indexOf(highestStatus))
    return { status: asked, limited: [] }
  const message = `The document is to be “${asked}”, and documents of “${name}” may be “${highestStatus}” at most, so that is what the post is. The settings of the source have the limit.`
  const limited: Warning[] = [{ code: 'status_limited', message }]
  return { status: highestStatus, limited }
}

/** What becomes of a document that loses something on its way to a post. */
export const onLossChoices = ['publish', 'draft', 'hold'] as const

export type OnLoss = (typeof onLossChoices)[number]

/** Lower case, so that spellings of one id do not count as two documents. */
export const uuidSchema = z.guid('expected a UUID').toLowerCase().describe('UUID.')

/** As `content_format` names the formats of whole documents; each has an adapter (index.ts). */
export const contentFormats = [
  'markdown',
  'html',
  'prosemirror',
  'portable_text',
  'editorjs',
  'notion',
  'lexical',
  'contentful',
] as const

/** How the strings of a document in our format are written. */
const textFormats = ['plain', 'markdown', 'html'] as const

export type ContentFormat = (typeof contentFormats)[number]
export type TextFormat = (typeof textFormats)[number]

/** The members of `delivery` that say how a document is written. */
const writtenShape = {
  content_format: z
    .enum(contentFormats)
    .nullish()
    .describe(
      'How `data.content` is written, where it is not a document of ours; found out by its signature where left out.',
    ),
  text_format: z
    .enum(textFormats)
    .nullish()
    .describe('How the strings of a document of ours are written; `plain` where left out.'),
}

export const writtenSchema = z.looseObject(writtenShape)

const canonicalSchema = z
  .union([z.enum(['first', 'none']), webAddress], 'expected "first", "none" or a web address')
  .describe(
    'The address that search engines take for the original of the post. `first`: of the posts of this document on several sites, the first that is public. `none`: what `metadata.seo` says, as where absent.',
  )

/** `delivery.metadata`: what the post gets beside the document. */
export const metadataSchema = z.looseObject(
  { categories: termNames('category').nullish(), tags: termNames('tag').nullish(), ...postFieldShape },
  'expected an object',
)

/** `delivery` without the site, as calls of the API have it. */
export const deliveryWithoutSiteSchema = z.looseObject({
  post_status: z
    .enum(postStatuses, `expected one of ${quoted(postStatuses)}`)
    .nullish()
    .describe('Status of the post; `draft` where absent.'),
  on_loss: z
    .enum(onLossChoices, `expected one of ${quoted(onLossChoices)}`)
    .nullish()
    .describe(
      'What to do if something of the document would be missing: the post as asked for, a draft, or hold; as its source or site says where absent.',
    ),
  ...writtenShape,
  canonical: canonicalSchema.nullish(),
  metadata: metadataSchema.nullish(),
})

/** `delivery`: where the finished document goes. Absent where no site was requested. */
export const deliverySchema = z
  .looseObject(
    { id: uuidSchema.describe('UUID of the connected site.'), ...deliveryWithoutSiteSchema.shape },
    'expected an object with "id" and "post_status"',
  )
  .transform(({ id, post_status, on_loss, canonical, metadata }) => ({
    id,
    postStatus: post_status ?? 'draft',
    ...(on_loss && { onLoss: on_loss }),
    ...(canonical === 'first' && { followsFirst: true }),
    categories: trimNames(metadata?.categories),
    tags: trimNames(metadata?.tags),
    fields: withCanonical(
      givenFields(metadata ?? {}),
      canonical === 'first' || canonical === 'none' ? undefined : canonical,
    ),
  }))

export type DeliveryRequest = z.output<typeof deliverySchema>

/** What a source says for documents that leave it out; an empty list is none, and not left out. */
export const documentDefaultsSchema = z.strictObject({
  post_status: z.enum(postStatuses).optional().describe('Instead of draft.'),
  on_loss: z.enum(onLossChoices).optional().describe('Instead of what the site says.'),
  canonical: canonicalSchema.optional(),
  categories: termNames('category').optional(),
  tags: termNames('tag').optional(),
  content_format: z
    .enum(contentFormats)
    .optional()
    .describe('How its documents are written, where they are not ours.'),
  text_format: z.enum(textFormats).optional().describe('How the strings of its documents are written.'),
  ...defaultFieldShape,
})

/** All that a source says for documents that leave it out: what they get, and where they go. */
export interface SourceDefaults extends z.output<typeof documentDefaultsSchema> {
  site_id?: string | undefined
  labels?: string[] | undefined
}

/** Fields without those that say nothing. */
export const givenFields = (fields: Readonly<Record<string, unknown>>): PostFieldValues =>
  Object.fromEntries(
    postFieldNames.flatMap((name) =>
      fields[name] === undefined || fields[name] === null ? [] : [[name, fields[name]]],
    ),
  )

/** Fields with this address as the original of the post; its own `seo.canonical` comes first. */
export const withCanonical = (
  fields: PostFieldValues,
  canonical: string | null | undefined,
): PostFieldValues => (canonical ? { ...fields, seo: { canonical, ...fields.seo } } : fields)

/** Fields of a document, with the defaults for those that it leaves out. Maps are completed name by name. */
export function withDefaultFields(fields: PostFieldValues, defaults: PostFieldValues): PostFieldValues {
  const merged = Object.entries(fields).map(([name, value]: [string, unknown]) => {
    const byDefault: unknown = defaults[name as PostFieldName]
    return [name, isWireObject(value) && isWireObject(byDefault) ? { ...byDefault, ...value } : value]
  })
  return { ...defaults, ...Object.fromEntries(merged) }
}

/** A `delivery` with what its source says where it says nothing itself. */
export function withSourceDefaults(
  delivery: WireObject,
  defaults: SourceDefaults,
): WireObject & { metadata: object } {
  const { site_id: _, labels: __, ...others } = defaults
  const { post_status, on_loss, content_format, text_format, canonical, ...inMetadata } = others
  return {
    ...{ post_status, on_loss, content_format, text_format, canonical },
    ...withoutNulls(delivery),
    metadata: withDefaultFields(withoutNulls(delivery.metadata ?? {}), inMetadata),
  }
}

const withoutNulls = (members: object): WireObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))
