import type { Image } from '../contract/tree.ts'
import { beginning } from '../text.ts'
import { renderInlines } from './inline.ts'
import type { State } from './state.ts'
import { fileUrl } from './url.ts'

/** What both formats write of a picture. Values are not escaped; `caption` is HTML. */
export interface Picture {
  id: number | undefined
  src: string
  size: string
  href: string | undefined
  caption: string
}

/** `undefined` where the picture's address is not one that may be loaded. */
export function pictureOf(node: Image, state: State): Picture | undefined {
  const { image_size, image_link, image_captions } = state.settings
  const media = state.media.get(node.url)
  // as the editor does: a picture smaller than the size asked for has no such size
  const size = media?.sizes && !media.sizes[image_size] ? 'full' : image_size
  const full = fileUrl(media?.url ?? node.url)
  const src = fileUrl(media?.sizes?.[size]?.url ?? media?.url ?? node.url)
  if (src === undefined || full === undefined) {
    state.warn(
      'image_unsafe',
      `A picture at "${beginning(node.url, 80)}" was left out: it is not a web address.`,
    )
    return undefined
  }
  const page = media?.link === undefined ? undefined : fileUrl(media.link)
  return {
    id: media?.id,
    src,
    size,
    href: image_link === 'media' ? full : image_link === 'attachment' ? page : undefined,
    caption: image_captions ? captionOf(node, state) : '',
  }
}

export const captionOf = ({ caption }: Image, state: State): string => renderInlines(caption ?? [], state)
