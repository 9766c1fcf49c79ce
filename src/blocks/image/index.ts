import { z } from 'zod'
import { truncate } from '../../lib/text.ts'
import { classicFigure, figcaption, type RenderContext } from '../../render/context.ts'
import { blockMarkup, escapeAttribute, escapeBlockAttribute, safeFileUrl } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Block, Inline } from '../index.ts'
import { externalLinkAttributes, safeTarget } from '../inlines/link.ts'
import { paragraphMarkup } from '../paragraph/index.ts'
import { addressOf, collapseToLine, filled, firstMember, membersOf, plainText } from '../wire.ts'

export interface Image {
  type: 'image'
  url: string
  alt: string
  caption?: Inline[]
  title?: string
  /** Where a click leads; goes before the site's setting. */
  link?: string
  /** Pixels. */
  width?: number
  height?: number
  align?: (typeof alignments)[number]
}

const alignments = ['left', 'center', 'right', 'wide', 'full'] as const

export const alternativeNames = ['alt', 'alt_text', 'altText', 'alternativeText'] as const

export const image: BlockDefinition<
  Image,
  'url' | 'alt' | 'caption' | 'title' | 'imageType' | 'link' | 'width' | 'height' | 'align'
> = {
  type: 'image',
  aliases: ['picture', 'img', 'photo', 'figure'],
  names: {
    url: ['url', 'src', 'image_url', 'imageUrl', 'image'],
    alt: alternativeNames,
    caption: ['caption', 'figcaption'],
    title: ['title'],
    imageType: ['image_type', 'imageType'],
    link: ['link', 'href', 'link_url', 'linkUrl'],
    width: ['width'],
    height: ['height'],
    align: ['align', 'alignment'],
  },
  description: 'A picture, which is fetched and uploaded to the site.',
  example: {
    url: 'https://example.com/tide-curve.png',
    alt: 'The height of the water over a day, with two highs',
    caption: 'A day at Bristol',
    title: 'Tide curve',
    image_type: 'infographic',
  },
  shape: ({ inlines }) => ({
    url: z.string().describe('A full address, http or https.'),
    alt: z.string().describe('What a screen reader says; empty for a picture that only decorates.'),
    caption: inlines.optional().describe('Shown below the picture.'),
    title: z.string().optional().describe('Shown by browsers when the pointer rests on the picture.'),
    link: z.string().optional().describe('Where a click on the picture leads.'),
    width: z.int().min(1).max(MAX_PIXELS).optional().describe('How wide it is shown, in pixels.'),
    height: z.int().min(1).max(MAX_PIXELS).optional().describe('How high it is shown, in pixels.'),
    align: z.enum(alignments).optional().describe('Where it stands; text flows around `left` and `right`.'),
    image_type: z.string().optional().describe('What kind of picture the generator made; changes nothing.'),
  }),
  /** Without an address, its words become paragraphs. */
  read: ({ url, alt, caption, title, link, ...look }, reading) => {
    const address = addressOf(url)
    // What stands with the address, as `{"image": {"url": "…", "alt": "…"}}`.
    const own = membersOf(url)
    const said = plainText(alt ?? firstMember(own, alternativeNames))
    const alternative = reading.alternativeText('alt', collapseToLine(said))
    const below = reading.inlines(caption ?? own.caption)
    const hover = collapseToLine(plainText(title))
    const target = addressOf(link)
    const others = Array.isArray(url) ? url.slice(1).flatMap((other) => addressOf(other) ?? []) : []
    if (others.length > 0)
      reading.warn(
        'picture_left_out',
        `a picture has one address, and these are left out: ${others.map((other) => truncate(other, 200)).join(', ')}`,
      )
    if (address === undefined) {
      reading.warn('image_without_url', 'a picture has no address; its text is kept')
      const texts = [...new Set([alternative, hover])].filter((text) => text !== '')
      const contents = [...texts.map((text): Inline[] => [{ type: 'text', text }]), below]
      return contents
        .filter((content) => content.length > 0)
        .map((content): Block => ({ type: 'paragraph', content }))
    }
    return [
      {
        type: 'image',
        url: reading.file('url', address),
        alt: alternative,
        ...filled({ caption: below, title: reading.line('title', hover) }),
        ...filled({ ...lookOf(look), link: target && reading.link('link', target) }),
      },
    ]
  },
  render: {
    block: (node, context) => {
      if (node.url === context.removedPicture) return ''
      const picture = resolvePicture(node, context)
      if (picture === undefined) return paragraphMarkup.block(captionOf(node, context))
      const { id, src, size, href, caption } = picture
      const { align } = node
      const { attributes, html } = dimensions(node, context)
      const isOld = !context.isAtLeast(6, 4)
      const inComment = {
        ...(isOld && { align }),
        id,
        ...attributes,
        sizeSlug: size,
        linkDestination: id === undefined && href === undefined ? undefined : destinationOf(picture, context),
        ...(!isOld && { align }),
      }
      const className = id === undefined ? '' : ` class="wp-image-${id}"`
      const title = node.title ? ` title="${escapeBlockAttribute(node.title)}"` : ''
      const img = `<img src="${escapeBlockAttribute(src)}" alt="${escapeBlockAttribute(node.alt)}"${className}${html}${title}/>`
      const linked = linkAround(img, picture, escapeBlockAttribute, context)
      const classes = `wp-block-image${align ? ` align${align}` : ''} size-${size}${html === '' ? '' : ' is-resized'}`
      return blockMarkup(
        'image',
        inComment,
        `<figure class="${classes}">${linked}${figcaption(caption)}</figure>`,
      )
    },
    /** As the classic editor inserts an image; the caption is in a figure because `[caption]` needs a width. */
    classic: (node, context) => {
      if (node.url === context.removedPicture) return ''
      const picture = resolvePicture(node, context)
      if (picture === undefined) return paragraphMarkup.classic(captionOf(node, context))
      const { id, src, size, caption } = picture
      const align = `align${node.align ?? 'none'}`
      const className = `${align} size-${size}${id === undefined ? '' : ` wp-image-${id}`}`
      const title = node.title ? ` title="${escapeAttribute(node.title)}"` : ''
      const img = `<img class="${className}" src="${escapeAttribute(src)}" alt="${escapeAttribute(node.alt)}"${title}${sizeAttributes(node)} />`
      const linked = linkAround(img, picture, escapeAttribute, context)
      return caption === '' ? `<p>${linked}</p>` : classicFigure(linked, caption, align)
    },
  },
  parts: ({ caption }) => (caption ? [caption] : []),
  files: ({ url, alt, title = '' }) => [{ kind: 'picture', url, alt, title }],
}

/** Values are not escaped; `caption` is HTML. */
interface Picture {
  id: number | undefined
  src: string
  size: string
  href: string | undefined
  /** Whether the document says where it leads, and not the site's setting. */
  isOwnLink: boolean
  caption: string
}

const MAX_PIXELS = 10_000

/** `640`, `"640"` and `"640px"`; anything else leaves the picture as wide as it is. */
export function pixelsOf(value: unknown): number | undefined {
  const pixels = typeof value === 'string' ? Number(value.replace(/px$/, '')) : value
  return typeof pixels === 'number' && pixels >= 1 && pixels <= MAX_PIXELS ? Math.round(pixels) : undefined
}

function lookOf(written: Record<'width' | 'height' | 'align', unknown>) {
  const [width, height] = [pixelsOf(written.width), pixelsOf(written.height)]
  return { width, height, align: alignments.find((side) => side === written.align) }
}

const sizeAttributes = ({ width, height }: Image): string =>
  (width ? ` width="${width}"` : '') + (height ? ` height="${height}"` : '')

/**
 * A picture's size as the editor saves it: in attributes, or since 6.4 in a style. With both, the style has their ratio instead of
 * the height, so that the picture keeps its shape where the screen is narrower.
 */
function dimensions(node: Image, context: RenderContext): { attributes: object; html: string } {
  const { width, height } = node
  if (width === undefined && height === undefined) return { attributes: {}, html: '' }
  if (!context.isAtLeast(6, 4)) return { attributes: { width, height }, html: sizeAttributes(node) }
  if (width && height) {
    const aspectRatio = `${width}/${height}`
    return {
      attributes: { width: `${width}px`, height: 'auto', aspectRatio, scale: 'cover' },
      html: ` style="aspect-ratio:${aspectRatio};object-fit:cover;width:${width}px;height:auto"`,
    }
  }
  if (height) return { attributes: { height: `${height}px` }, html: ` style="height:${height}px"` }
  return {
    attributes: { width: `${width}px`, height: 'auto' },
    html: ` style="width:${width}px;height:auto"`,
  }
}

function linkAround(
  img: string,
  { href, isOwnLink }: Picture,
  escapeAddress: (url: string) => string,
  context: RenderContext,
): string {
  if (href === undefined) return img
  return `<a href="${escapeAddress(href)}"${isOwnLink ? externalLinkAttributes(href, context) : ''}>${img}</a>`
}

const destinationOf = ({ href, isOwnLink }: Picture, { settings }: RenderContext): string =>
  isOwnLink ? 'custom' : href === undefined ? 'none' : settings.image_link

/** `undefined` where the picture could not be had, or its address is unsafe; its caption stays. */
export function resolvePicture(node: Image, context: RenderContext): Picture | undefined {
  if (context.hidden?.has(node.url)) return undefined
  const { image_size, image_link, image_captions } = context.settings
  const media = context.media.get(node.url)
  // As the editor does: a picture smaller than the size asked for has no such size.
  const size = media?.sizes && !media.sizes[image_size] ? 'full' : image_size
  const full = safeFileUrl(media?.url ?? node.url)
  const src = safeFileUrl(media?.sizes?.[size]?.url ?? media?.url ?? node.url)
  if (src === undefined || full === undefined) {
    context.warn(
      'image_unsafe',
      `A picture at "${truncate(node.url, 80)}" was left out: it is not a web address.`,
    )
    return undefined
  }
  const page = media?.link === undefined ? undefined : safeFileUrl(media.link)
  const target = node.link === undefined ? undefined : safeTarget({ href: node.link })
  // The editor takes an address without characters for none.
  const own = target === undefined || escapeBlockAttribute(target) === '' ? undefined : target
  if (node.link !== undefined && own === undefined)
    context.warn('link_unsafe', `The link of a picture to "${truncate(node.link, 80)}" was left out.`)
  return {
    id: media?.id,
    src,
    size,
    href: own ?? (image_link === 'media' ? full : image_link === 'attachment' ? page : undefined),
    isOwnLink: own !== undefined,
    caption: image_captions ? captionOf(node, context) : '',
  }
}

const captionOf = ({ caption = [] }: Image, context: RenderContext): string => context.inlines(caption)
