import type { Document } from '../../blocks/document.ts'
import { type DeliveryRequest, givenFields, withDefaultFields } from '../../contract/delivery.ts'
import { findUnreadEmbargo } from '../../contract/embargo.ts'
import { type PostFieldValues, plainMembers } from '../../contract/post-fields.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import { slugText } from '../../lib/slug.ts'
import { escapeAngleBrackets } from '../../render/escape.ts'
import type { RenderMedia } from '../../render/options.ts'
import { renderDocument } from '../../render/render.ts'
import { writeFootnotes } from '../../wordpress/footnotes.ts'
import type { MediaRecord, PostFields, PostRecord, PostStatus } from '../../wordpress/types.ts'
import { heldError } from '../holds.ts'
import { overwriteAllowed } from '../post-snapshot.ts'
import type { Delivering } from './context.ts'
import type { DeliveredMedia } from './media.ts'
import { warnOfSignedAddresses } from './signed-addresses.ts'
import type { ResolvedTerms } from './terms.ts'

/** The sender's slug, or one of all words of the title. */
export const proposedSlug = ({ slug = '', title }: Delivering['document']): string =>
  slugText(slug) || slugText(title)

/** The document with what `delivery.metadata` puts in the place of its own. */
export function withOwnFields(document: Document, { slug, featured_image }: PostFieldValues): Document {
  const picture = typeof featured_image === 'string' ? { url: featured_image } : featured_image
  const known = document.featuredImage?.url === picture?.url ? document.featuredImage : undefined
  return {
    ...document,
    ...(slug !== undefined && { slug }),
    ...(picture && { featuredImage: { ...picture, alt: picture.alt ?? known?.alt ?? '' } }),
  }
}

/** With what the site says for documents that leave it out. */
export const withSiteDefaults = (
  wanted: DeliveryRequest,
  { settings }: Pick<Delivering['site'], 'settings'>,
): DeliveryRequest => ({
  ...wanted,
  fields: withDefaultFields(wanted.fields, givenFields(settings.defaults)),
})

/** The warnings of a document’s reading. That an unread time may be meant as an embargo is told only of what would be public at once. */
export function withUnreadEmbargo(
  warnings: readonly Warning[],
  webhook: unknown,
  { postStatus, fields }: DeliveryRequest,
  now: Date,
): Warning[] {
  if (postStatus !== 'publish' || fields.publish_at !== undefined || fields.visibility === 'private')
    return warnings.filter(({ code }) => code !== 'embargo_unread')
  const path = findUnreadEmbargo(webhook, now)
  if (path === undefined) return [...warnings]
  return [
    ...warnings,
    {
      code: 'embargo_unread',
      message: `“${path}” seems to say when the document may be public, and Galley does not read it. The time of publication belongs in delivery.metadata.publish_at, as 2030-01-31T09:30:00+01:00.`,
    },
  ]
}

/** The status that WordPress is asked for. */
export function statusOf({ postStatus, fields }: Pick<DeliveryRequest, 'postStatus' | 'fields'>, now: Date) {
  const { publish_at, visibility } = fields
  if (postStatus !== 'publish') return postStatus
  if (visibility === 'private') return 'private'
  return publish_at !== undefined && Date.parse(publish_at) > now.getTime() ? 'future' : 'publish'
}

/** WordPress publishes a post at once that is due within the minute (`wp_insert_post`). */
const SCHEDULE_MS = 60_000

/** Waits for a time that is too near to be scheduled. @throws GalleyError tried again when the time has come */
export function awaitTime(
  { fields }: Pick<DeliveryRequest, 'fields'>,
  status: PostStatus | undefined,
  now: Date,
) {
  const left = Date.parse(fields.publish_at ?? '') - now.getTime()
  if (status !== 'future' || !(left < SCHEDULE_MS + MAX_CLOCK_SKEW_MS)) return
  throw new GalleyError({
    code: 'publish_time_near',
    message: `The post is to be published at ${fields.publish_at}, in less than two minutes, and WordPress would publish it at once. Galley waits until then.`,
    fault: 'galley',
    action: 'retry',
    retryAfterMs: Math.max(left, 1000),
  })
}

const MAX_CLOCK_SKEW_MS = 60_000

/** Everything a fill sets. @param hasFootnotes whether the post has a place for notes outside of its text */
export function desiredFields(
  delivering: Pick<Delivering, 'document' | 'slug' | 'wanted' | 'site' | 'warnings'> & { now: Date },
  terms: Omit<ResolvedTerms, 'remembered'>,
  media: DeliveredMedia,
  hasFootnotes: boolean,
): PostFields {
  const { document, slug, wanted, site, warnings, now } = delivering
  const { fields } = wanted
  const { settings } = site
  const rendered = renderDocument(document, {
    format: settings.format === 'classic' ? 'classic' : 'block',
    media: renderMedia(media.records),
    hidden: media.dropped,
    footnotes: hasFootnotes ? 'meta' : 'list',
    settings: settings.render,
    siteOrigin: new URL(site.url).origin,
    ...(site.wordpressVersion !== null && { wordpressVersion: site.wordpressVersion }),
  })
  const { markup, footnotes } = rendered
  warnings.push(...rendered.warnings)
  const members = { ...plainMembers(fields), ...terms.members }
  const texts = [markup, ...footnotes.map(({ content }) => content), JSON.stringify(members)]
  warnings.push(...warnOfSignedAddresses(texts, now))
  const status = statusOf(wanted, now)
  if (fields.visibility === 'private' && status !== 'private') warnings.push(visibilityDropped(status))
  const featured = document.featuredImage && media.records.get(document.featuredImage.url)
  return {
    title: escapeAngleBrackets(document.title),
    content: markup,
    ...(hasFootnotes && { footnotes: writeFootnotes(footnotes) }),
    excerpt: escapeAngleBrackets(fields.excerpt ?? document.description ?? ''),
    slug,
    ...(terms.categories.length > 0 && { categories: terms.categories }),
    tags: terms.tags,
    ...(featured && { featuredMedia: featured.id }),
    ...(site.authorId !== null && !('author' in members) && { author: site.authorId }),
    ...(settings.seo_description &&
      !(`meta.${site.seoField}` in members) &&
      site.seoField !== null &&
      document.description !== undefined && { meta: { [site.seoField]: document.description } }),
    ...(Object.keys(members).length > 0 && { members }),
    status,
  }
}

const visibilityDropped = (status: string): Warning => ({
  code: 'visibility_dropped',
  message: `The document is to be private, and WordPress keeps no visibility of a post that is “${status}”: whoever publishes it chooses it then.`,
})

const renderMedia = (records: ReadonlyMap<string, MediaRecord>): Map<string, RenderMedia> =>
  new Map(
    [...records].map(([url, { id, sourceUrl, sizes, link, mimeType }]) => [
      url,
      // WordPress makes stills of a GIF that moves.
      { id, url: sourceUrl, sizes: mimeType === 'image/gif' ? {} : sizes, ...(link !== '' && { link }) },
    ]),
  )

/** How near to the public a status is. Documents ask for the first, second or last; posts may have got the others. */
const VISIBILITY_RANK: Readonly<Record<string, number>> = {
  'auto-draft': 0,
  draft: 0,
  pending: 1,
  private: 2,
  future: 2,
  publish: 3,
}

/** Whether a post of this status is shown, or will be, without anybody who looks at it first. */
export const isBeyondReview = (status: string): boolean => visibilityRank(status) > visibilityRank('pending')

/** A status that a plugin has made may be anything short of public. */
const visibilityRank = (status: string): number => VISIBILITY_RANK[status] ?? 2

/**
 * A person brought the post nearer to the public than its source may: a new text would be seen that nobody has looked at.
 * @throws GalleyError held, unless a person has said that it may be written over
 */
export function requireWithinSource({ row, source, site }: Delivering, post: PostRecord): void {
  const { highestStatus, name } = source
  if (
    highestStatus === null ||
    visibilityRank(post.status) <= visibilityRank(highestStatus) ||
    overwriteAllowed(row)
  )
    return
  throw statusAboveLimit(post, { name, highestStatus, site: site.name })
}

const statusAboveLimit = (
  { id, status }: PostRecord,
  { name, highestStatus, site }: { name: string; highestStatus: string; site: string },
): GalleyError =>
  heldError(
    'post_above_limit',
    `Post ${id} on ${site} is “${status}”, and documents of “${name}” may be “${highestStatus}” at most, so its text is left as it is. Retry this delivery with "overwrite" to have the new text there, or change the limits of the source.`,
  )
