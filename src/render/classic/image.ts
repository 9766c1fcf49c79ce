import type { Image } from '../../contract/tree.ts'
import { escapeAttribute } from '../escape.ts'
import { captionOf, pictureOf } from '../picture.ts'
import type { Handler } from '../state.ts'
import { paragraphElement } from './paragraph.ts'

/** As the classic editor inserts a picture; its caption in a figure, since a `[caption]` needs a width. */
export const image: Handler<Image> = (node, state) => {
  const picture = pictureOf(node, state)
  if (picture === undefined) return paragraphElement(captionOf(node, state))
  const { id, src, size, href, caption } = picture
  const className = `alignnone size-${size}${id === undefined ? '' : ` wp-image-${id}`}`
  const title = node.title ? ` title="${escapeAttribute(node.title)}"` : ''
  const img = `<img class="${className}" src="${escapeAttribute(src)}" alt="${escapeAttribute(node.alt)}"${title} />`
  const linked = href === undefined ? img : `<a href="${escapeAttribute(href)}">${img}</a>`
  return caption === ''
    ? `<p>${linked}</p>`
    : `<figure class="wp-caption alignnone">${linked}<figcaption class="wp-caption-text">${caption}</figcaption></figure>`
}
