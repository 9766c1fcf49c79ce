import { withoutTags } from '../../render/escape.ts'
import type { RenderMedia } from '../../render/options.ts'
import { renderDocument } from '../../render/render.ts'
import type { MediaRecord, PostFields } from '../../wordpress/types.ts'
import type { Delivering } from './context.ts'
import type { DeliveredMedia } from './media.ts'
import type { ResolvedTerms } from './terms.ts'

/** Everything a fill sets, as the document and the site's settings ask for it. */
export function fields(
  delivering: Pick<Delivering, 'document' | 'wanted' | 'site' | 'warnings'>,
  terms: Pick<ResolvedTerms, 'categories' | 'tags'>,
  media: DeliveredMedia,
): PostFields {
  const { document, wanted, site, warnings } = delivering
  const { settings } = site
  const shown = media.dropped.size === 0 ? document : without(document, media.dropped)
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
    title: withoutTags(document.title),
    content: markup,
    excerpt: withoutTags(document.description ?? ''),
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

function without(document: Delivering['document'], dropped: ReadonlySet<string>): Delivering['document'] {
  return {
    ...document,
    blocks: document.blocks.filter((block) => block.type !== 'image' || !dropped.has(block.url)),
  }
}
