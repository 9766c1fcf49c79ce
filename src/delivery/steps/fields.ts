import { isWireObject } from '../../contract/normalise/fields.ts'
import type { DeliveryRequest } from '../../contract/webhook.ts'
import type { GalleyError, Warning } from '../../errors.ts'
import { escapeAngleBrackets } from '../../render/escape.ts'
import type { RenderMedia } from '../../render/options.ts'
import { renderDocument } from '../../render/render.ts'
import type { MediaRecord, PostFields, PostRecord } from '../../wordpress/types.ts'
import { heldError } from '../holds.ts'
import type { EventSource } from '../ledger/wanted-event.ts'
import { overwriteAllowed } from '../post-snapshot.ts'
import type { Delivering } from './context.ts'
import type { DeliveredMedia } from './media.ts'
import type { ResolvedTerms } from './terms.ts'

/** Everything a fill sets, as the document and the site's settings ask for it. */
export function desiredFields(
  delivering: Pick<Delivering, 'document' | 'wanted' | 'site' | 'warnings'>,
  terms: Pick<ResolvedTerms, 'categories' | 'tags'>,
  media: DeliveredMedia,
): PostFields {
  const { document, wanted, site, warnings } = delivering
  const { settings } = site
  const shown = media.dropped.size === 0 ? document : withoutImages(document, media.dropped)
  const { markup, warnings: rendering } = renderDocument(shown, {
    format: settings.format === 'classic' ? 'classic' : 'block',
    media: renderMedia(media.records),
    settings: settings.render,
    siteOrigin: new URL(site.url).origin,
    ...(site.wordpressVersion !== null && { wordpressVersion: site.wordpressVersion }),
  })
  warnings.push(...rendering)
  const featured = document.featuredImage && media.records.get(document.featuredImage.url)
  return {
    title: escapeAngleBrackets(document.title),
    content: markup,
    excerpt: escapeAngleBrackets(document.description ?? ''),
    slug: document.slug ?? '',
    ...(terms.categories.length > 0 && { categories: terms.categories }),
    tags: terms.tags,
    ...(featured && { featuredMedia: featured.id }),
    ...(site.authorId !== null && { author: site.authorId }),
    ...(settings.seo_description &&
      site.seoField !== null &&
      document.description !== undefined && { meta: { [site.seoField]: document.description } }),
    status: wanted.postStatus,
  }
}

const renderMedia = (records: ReadonlyMap<string, MediaRecord>): Map<string, RenderMedia> =>
  new Map(
    [...records].map(([url, { id, sourceUrl, sizes, link }]) => [
      url,
      { id, url: sourceUrl, sizes, ...(link !== '' && { link }) },
    ]),
  )

function withoutImages(
  document: Delivering['document'],
  dropped: ReadonlySet<string>,
): Delivering['document'] {
  return {
    ...document,
    blocks: document.blocks.filter((block) => block.type !== 'image' || !dropped.has(block.url)),
  }
}

/**
 * How near to the public a status is. A document asks for one of the first, the second or the last; the others are those
 * that a post may have got on its site.
 */
const VISIBILITY_RANK: Readonly<Record<string, number>> = {
  'auto-draft': 0,
  draft: 0,
  pending: 1,
  private: 2,
  future: 2,
  publish: 3,
}

/** A status that a plugin has made may be anything short of public. */
const visibilityRank = (status: string): number => VISIBILITY_RANK[status] ?? 2

/**
 * What a document asks for, with its source's defaults for what it leaves out, and no further than its source may go.
 *
 * @param json the webhook as it was read: what is left out in it is not what is empty
 */
export function limitedBySource(
  { highestStatus, defaults, name }: EventSource,
  asked: DeliveryRequest,
  json: unknown,
): { wanted: DeliveryRequest; limited: Warning[] } {
  const delivery = isWireObject(json) && isWireObject(json.delivery) ? json.delivery : {}
  const metadata = isWireObject(delivery.metadata) ? delivery.metadata : {}
  const filled = {
    ...asked,
    ...(isMissing(delivery.post_status) && defaults.post_status && { postStatus: defaults.post_status }),
    ...(isMissing(metadata.categories) &&
      defaults.categories && { categories: quoteNames(defaults.categories) }),
    ...(isMissing(metadata.tags) && defaults.tags && { tags: quoteNames(defaults.tags) }),
  }
  if (highestStatus === null || visibilityRank(filled.postStatus) <= visibilityRank(highestStatus))
    return { wanted: filled, limited: [] }
  const limited = [{ code: 'status_limited', message: statusLimited(name, filled.postStatus, highestStatus) }]
  return { wanted: { ...filled, postStatus: highestStatus }, limited }
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

const quoteNames = (names: readonly string[]): string[] =>
  names.map((name) => name.trim()).filter((name) => name !== '')

const statusLimited = (source: string, asked: string, highest: string): string =>
  `The document is to be “${asked}”, and documents of “${source}” may be “${highest}” at most, so that is what the post is. The limit is in the limits of the source.`

/**
 * A post that is nearer to the public than its source may bring one was brought there by a person, or by Galley before
 * there was the limit: a new text would be seen that nobody has looked at.
 *
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
