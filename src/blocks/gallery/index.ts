import { z } from 'zod'
import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import { type Image, image } from '../image/index.ts'
import type { Block, Inline } from '../index.ts'
import { paragraphMarkup } from '../paragraph/index.ts'
import { filled, isWireObject, listOf, textNames, type WireObject, wireType } from '../wire.ts'

export interface Gallery {
  type: 'gallery'
  images: Image[]
  columns?: number
  caption?: Inline[]
}

/** The most that the editor offers. */
const MAX_COLUMNS = 8

export const gallery: BlockDefinition<Gallery, 'images' | 'columns' | 'caption'> = {
  type: 'gallery',
  aliases:
    'image_gallery photo_gallery images image_grid carousel image_carousel slideshow slider image_slider'.split(
      ' ',
    ),
  names: {
    images: ['images', 'items', 'pictures', 'photos', 'slides', 'media', ...textNames, 'url', 'src'],
    columns: ['columns', 'cols', 'column_count', 'columnCount'],
    caption: ['caption', 'figcaption'],
  },
  description: 'Pictures in rows.',
  example: {
    images: [
      { type: 'image', url: 'https://example.com/ebb.jpg', alt: 'The bay at low water' },
      { type: 'image', url: 'https://example.com/flood.jpg', alt: 'The bay at high water' },
    ],
    columns: 2,
    caption: 'Six hours apart',
  },
  shape: ({ inlines, block }) => ({
    images: z.array(block).describe('Pictures; the address of one alone will do.'),
    columns: z.int().min(1).max(MAX_COLUMNS).optional().describe('Pictures in a row.'),
    caption: inlines.optional().describe('Shown below them all.'),
  }),
  /** What is no picture follows the gallery. */
  read: ({ images, columns, caption }, reading) => {
    const isNamed = isWireObject(images) && Object.values(images).every(isWireObject)
    const entries = listOf(isNamed ? Object.values(images) : images)
    const blocks = reading.nested(() =>
      entries.flatMap((entry) => {
        reading.count()
        return reading.blocks(asPicture(entry))
      }),
    )
    const pictures = blocks.filter((block) => block.type === 'image')
    const others = blocks.filter((block) => block.type !== 'image')
    const below = reading.inlines(caption)
    if (pictures.length === 0) {
      reading.warn('block_left_out', 'a gallery has no pictures; what it says is kept')
      return below.length > 0 ? [...others, { type: 'paragraph', content: below }] : others
    }
    const across = typeof columns === 'object' ? 0 : Math.round(Number(columns))
    return [
      {
        type: 'gallery',
        images: pictures,
        ...filled({ columns: across >= 1 && across <= MAX_COLUMNS ? across : undefined, caption: below }),
      },
      ...others,
    ]
  },
  /** Where a picture cannot be had, its caption stands in its place, as that of a picture by itself does. */
  render: {
    block: ({ images, columns, caption = [] }, context) => {
      const inside = images.map((node) => image.render.block(node, context)).filter((html) => html !== '')
      const below = context.inlines(caption)
      if (!inside.some((html) => html.startsWith('<!-- wp:image')))
        return [...inside, paragraphMarkup.block(below)].filter((html) => html !== '').join('\n\n')
      const figcaption =
        below && `<figcaption class="blocks-gallery-caption wp-element-caption">${below}</figcaption>`
      const classes = `wp-block-gallery has-nested-images columns-${columns ?? 'default'} is-cropped`
      const figure = `<figure class="${classes}">${inside.join('\n\n')}${figcaption}</figure>`
      return blockMarkup('gallery', { columns, linkTo: context.settings.image_link }, figure)
    },
    /** As `[gallery]` is shown; the shortcode itself knows no picture outside the library. */
    classic: ({ images, columns = 3, caption = [] }, context) => {
      const items = images.map(({ caption: words = [], ...node }) => {
        const picture = image.render.classic(node, context)
        if (picture === '')
          return node.url === context.removedPicture ? '' : paragraphMarkup.classic(context.inlines(words))
        const below = context.settings.image_captions ? context.inlines(words) : ''
        const figcaption =
          below && `<figcaption class="wp-caption-text gallery-caption">${below}</figcaption>`
        return `<figure class="gallery-item">${picture}${figcaption}</figure>`
      })
      const row = items.join('')
      const size = context.settings.image_size
      return (
        (row && `<div class="gallery gallery-columns-${columns} gallery-size-${size}">${row}</div>`) +
        paragraphMarkup.classic(context.inlines(caption))
      )
    },
  },
  parts: ({ images, caption }) => [...images, ...(caption ? [caption] : [])],
}

/** An entry as a picture: its address alone, a picture without a type, or one inside a slide. */
function asPicture(entry: unknown): unknown {
  if (typeof entry === 'string' && /^\S+$/.test(entry.trim())) return { type: 'image', url: entry }
  if (!isWireObject(entry)) return entry
  const { image: inner, ...others } = entry
  if (isWireObject(inner)) return asUntypedPicture({ ...others, ...inner })
  return asUntypedPicture(entry)
}

const asUntypedPicture = (entry: WireObject): WireObject | Block =>
  wireType(entry) === undefined || wireType(entry) === 'slide' ? { ...entry, type: 'image' } : entry
