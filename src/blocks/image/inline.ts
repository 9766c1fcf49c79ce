import { z } from 'zod'
import { escapeAttribute } from '../../render/escape.ts'
import type { InlineDefinition } from '../define.ts'
import { addressOf, collapseToLine, firstMember, plainText } from '../wire.ts'
import { image, pixelsOf, resolvePicture } from './index.ts'

interface InlineImage {
  type: 'inline_image'
  url: string
  alt: string
  /** Pixels. */
  width?: number
}

/** A picture in a line of text. Where a place holds no blocks, as a cell does, a picture becomes one. */
export const inlineImage: InlineDefinition<InlineImage> = {
  type: 'inline_image',
  aliases: ['inline_picture', 'image_inline'],
  hasAddress: true,
  description: 'A picture in a line of text, such as a sign, which is fetched and uploaded to the site.',
  example: { url: 'https://example.com/buoy.png', alt: 'A buoy', width: 20 },
  shape: () => ({
    url: z.string().describe('A full address, http or https.'),
    alt: z.string().describe('What a screen reader says; empty for a picture that only decorates.'),
    width: z.int().min(1).optional().describe('How wide it is shown, in pixels.'),
  }),
  read: (wire, reading) => {
    const url = addressOf(firstMember(wire, image.names.url))
    const alt = collapseToLine(plainText(firstMember(wire, image.names.alt)))
    if (url === undefined) {
      reading.warn('image_without_url', 'a picture has no address; its text is kept')
      return reading.inlines(alt)
    }
    const width = pixelsOf(wire.width)
    return [
      {
        type: 'inline_image',
        url: reading.file('url', url),
        alt: reading.alternativeText('alt', alt),
        ...(width && { width }),
      },
    ]
  },
  render: (node, _html, context) => {
    const picture = resolvePicture({ ...node, type: 'image' }, context)
    if (picture === undefined) return ''
    const className = picture.id === undefined ? '' : ` class="wp-image-${picture.id}"`
    const source = ` src="${escapeAttribute(picture.src)}" alt="${escapeAttribute(node.alt)}"`
    if (context.format === 'classic')
      return `<img${className}${source}${node.width ? ` width="${node.width}"` : ''} />`
    return `<img${className}${node.width ? ` style="width: ${node.width}px;"` : ''}${source}>`
  },
}
