import type { Image } from '../../contract/tree.ts'
import { blockComment, escapeBlockAttribute } from '../escape.ts'
import { captionOf, pictureOf } from '../picture.ts'
import type { Handler } from '../state.ts'
import { paragraphBlock } from './paragraph.ts'

export const image: Handler<Image> = (node, state) => {
  const picture = pictureOf(node, state)
  if (picture === undefined) return paragraphBlock(captionOf(node, state))
  const { id, src, size, href, caption } = picture
  const comment = blockComment({
    ...(id === undefined ? {} : { id }),
    sizeSlug: size,
    ...(id === undefined && href === undefined
      ? {}
      : { linkDestination: href ? state.settings.image_link : 'none' }),
  })
  const className = id === undefined ? '' : ` class="wp-image-${id}"`
  const title = node.title ? ` title="${escapeBlockAttribute(node.title)}"` : ''
  const img = `<img src="${escapeBlockAttribute(src)}" alt="${escapeBlockAttribute(node.alt)}"${className}${title}/>`
  const linked = href === undefined ? img : `<a href="${escapeBlockAttribute(href)}">${img}</a>`
  const figcaption = caption === '' ? '' : `<figcaption class="wp-element-caption">${caption}</figcaption>`
  return `<!-- wp:image${comment} -->\n<figure class="wp-block-image size-${size}">${linked}${figcaption}</figure>\n<!-- /wp:image -->`
}
