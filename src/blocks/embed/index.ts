import { z } from 'zod'
import { scalarText } from '../../lib/text.ts'
import { classicFigure, figcaption, type RenderContext } from '../../render/context.ts'
import { blockMarkup, escapeText, safeFileUrl } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Inline } from '../index.ts'
import { addressOf, byName, filled, inlineText } from '../wire.ts'
import { mayEmbed, pageOf, pagesById, providerOf } from './providers.ts'

export interface Embed {
  type: 'embed'
  url: string
  caption?: Inline[]
}

const providerByType = byName({
  'youtube youtube_video youtube_embed': 'youtube',
  'vimeo vimeo_video': 'vimeo',
  dailymotion: 'dailymotion',
  'twitter twitter_embed tweet x': 'twitter',
})

export const embed: BlockDefinition<Embed, 'url' | 'player' | 'html' | 'id' | 'provider' | 'caption'> = {
  type: 'embed',
  aliases: [
    ...providerByType.keys(),
    ...'spotify tiktok soundcloud reddit ted bluesky pinterest flickr mixcloud instagram facebook'.split(' '),
    ...'oembed iframe video_embed embedded_video social_embed social_post web_embed media_embed'.split(' '),
  ],
  names: {
    url: ['url', 'src', 'href', 'source', 'link', 'uri', 'video_url', 'videoUrl', 'tweet_url', 'tweetUrl'],
    player: ['embed_url', 'embedUrl', 'embed', 'iframe_url', 'iframeUrl'],
    html: ['html', 'embed_code', 'embedCode', 'code', 'iframe'],
    id: ['video_id', 'videoId', 'tweet_id', 'tweetId', 'id'],
    provider: ['provider', 'service', 'platform', 'provider_name', 'providerName', 'providerNameSlug'],
    caption: ['caption', 'figcaption', 'title', 'text'],
  },
  description:
    'A video, a post or a track of another site, which the post shows in its player. A page that WordPress cannot show so is a link (warning `embed_as_link`).',
  example: { url: 'https://www.youtube.com/watch?v=pwChk4S99i4', caption: 'Why there are two high tides' },
  shape: ({ inlines }) => ({
    url: z.string().describe('The address of the page: of a video, a post, a track.'),
    caption: inlines.optional().describe('Shown below it.'),
  }),
  read: ({ url, player, html, id, provider, caption }, reading, type) => {
    const written = addressOf(url) ?? addressOf(player) ?? addressInHtml(html)
    const service = providerByType.get(type) ?? scalarText(provider).toLowerCase()
    const address = written === undefined || isId(written) ? byId(service, written ?? id) : written
    const below = reading.inlines(caption)
    if (address === undefined) {
      reading.warn('block_left_out', 'an embed has no address; what it says is kept')
      return below.length > 0 ? [{ type: 'paragraph', content: below }] : []
    }
    if (/^data:image\//i.test(address)) return reading.block({ type: 'image', url: address, caption })
    const page = pageOf(reading.link('url', address))
    const isKnown = providerOf(page) !== undefined
    if (isKnown || (type !== 'iframe' && mayEmbed(page)))
      return [{ type: 'embed', url: page, ...filled({ caption: below }) }]
    reading.warn('embed_as_link', `WordPress cannot show ${page} within a post; a link leads there`)
    const words: Inline[] = below.length > 0 ? below : [{ type: 'text', text: page }]
    return [{ type: 'paragraph', content: [{ type: 'link', href: page, children: words }] }]
  },
  render: {
    block: ({ url, caption = [] }, context) => embedMarkup.block(url, context.inlines(caption)),
    classic: ({ url, caption = [] }, context) => embedMarkup.classic(url, context.inlines(caption)),
  },
  parts: ({ caption }) => (caption ? [caption] : []),
}

/** Markup of an embed. @param caption rendered inline content */
const embedMarkup = {
  block: (url: string, caption: string): string => {
    const page = safeFileUrl(url)
    if (page === undefined) return ''
    const provider = providerOf(page)
    const aspect = provider?.aspect && `wp-embed-aspect-${provider.aspect} wp-has-aspect-ratio`
    const attributes = {
      url: page,
      type: provider?.type,
      providerNameSlug: provider?.slug,
      responsive: provider && provider.responsive !== false ? true : undefined,
      previewable: provider?.previewable,
      className: aspect,
    }
    const { type, slug } = provider ?? {}
    const classes = [
      'wp-block-embed',
      ...(provider ? [`is-type-${type}`, `is-provider-${slug}`, `wp-block-embed-${slug}`] : []),
      ...(aspect ? [aspect] : []),
    ].join(' ')
    const inside = `<div class="wp-block-embed__wrapper">\n${escapeText(page)}\n</div>${figcaption(caption)}`
    return blockMarkup('embed', attributes, `<figure class="${classes}">${inside}</figure>`)
  },
  /** `WP_Embed::autoembed` takes an address that is alone in a paragraph. */
  classic: (url: string, caption: string): string => {
    const page = safeFileUrl(url)
    if (page === undefined) return ''
    const line = `<p>${escapeText(page)}</p>`
    return caption === '' ? line : classicFigure(line, caption)
  },
}

/** The embed of a paragraph that is the address of a known provider and nothing else, where the site asks for it. */
export function embedOfAddress(content: readonly Inline[], context: RenderContext): string | undefined {
  const [only] = content
  if (!context.settings.embed_addresses || only === undefined || content.length > 1) return undefined
  if (only.type !== 'text' && only.type !== 'link') return undefined
  const words = inlineText(content).trim()
  const address = only.type === 'link' ? only.href.trim() : words
  if (withoutScheme(words) !== withoutScheme(address)) return undefined
  const page = pageOf(address)
  if (!/^https?:\/\/\S+$/i.test(address) || providerOf(page) === undefined) return undefined
  return context.spend(embedMarkup[context.format](page, ''))
}

/** Editors shorten the words of a link to its own address. */
const withoutScheme = (address: string): string => address.replace(/^https?:\/\/|\/$/gi, '')

/** A video's number or letters in the place of an address. */
const isId = (written: string): boolean => /^[\w-]+$/.test(written)

const byId = (service: string, id: unknown): string | undefined =>
  isId(scalarText(id)) && Object.hasOwn(pagesById, service) ? pagesById[service]?.(scalarText(id)) : undefined

/** Characters of a snippet; a post of X with its text has 1,000. */
const MAX_SNIPPET = 10_000

/** The address in a snippet that a provider offers to copy: of its frame, or of the last link in its quotation. */
function addressInHtml(html: unknown): string | undefined {
  if (typeof html !== 'string') return undefined
  const snippet = html.slice(0, MAX_SNIPPET)
  const frame = /<iframe[^<>]{0,500}\ssrc=["']?([^"'\s<>]+)/i.exec(snippet)?.[1]
  return frame ?? [...snippet.matchAll(/\shref=["']([^"']+)/gi)].at(-1)?.[1]
}
