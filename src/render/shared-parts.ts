import type { Audio, CodeBlock, Heading, Image, Table } from '../contract/tree.ts'
import { trimOf, truncate } from '../lib/text.ts'
import type { RenderContext } from './context.ts'
import { safeFileUrl } from './escape.ts'
import { renderInlines } from './inline.ts'

/** A heading's level in the post, see `top_heading_level`. */
export const headingLevel = ({ level }: Heading, { headingShift }: RenderContext): number =>
  Math.min(6, level + headingShift)

/** `language-ts`, reduced to characters of language names; `undefined` without a name. */
export function languageClass({ language }: CodeBlock, { settings }: RenderContext): string | undefined {
  if (!settings.code_language_class || language === undefined) return undefined
  // Filter before lower-casing: İ and the Kelvin sign have ASCII lower-case forms.
  const name = trimOf(language.replace(/[^a-z0-9+#.]+/gi, '-'), '-').toLowerCase()
  return name === '' ? undefined : `language-${name}`
}

/** The content of `<table>`, with rows padded to the widest; empty for a table without cells. */
export function renderTableRows({ headers, rows }: Table, state: RenderContext): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), headers.length)
  if (width === 0) return ''
  state.countCells((rows.length + 1) * width)
  const row = (cells: Table['headers'], tag: 'th' | 'td'): string => {
    let html = '<tr>'
    for (let index = 0; index < width; index += 1)
      html += `<${tag}>${renderInlines(cells[index] ?? [], state)}</${tag}>`
    return `${html}</tr>`
  }
  const head = headers.length > 0 ? `<thead>${row(headers, 'th')}</thead>` : ''
  // An empty `<tbody>` makes the block invalid.
  const body = rows.length > 0 ? `<tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody>` : ''
  return head + body
}

/** An image for both formats. Values are not escaped; `caption` is HTML. */
interface Picture {
  id: number | undefined
  src: string
  size: string
  href: string | undefined
  caption: string
}

/** `undefined` where the image's URL is unsafe. */
export function resolvePicture(node: Image, state: RenderContext): Picture | undefined {
  const { image_size, image_link, image_captions } = state.settings
  const media = state.media.get(node.url)
  // as the editor does: a picture smaller than the size asked for has no such size
  const size = media?.sizes && !media.sizes[image_size] ? 'full' : image_size
  const full = safeFileUrl(media?.url ?? node.url)
  const src = safeFileUrl(media?.sizes?.[size]?.url ?? media?.url ?? node.url)
  if (src === undefined || full === undefined) {
    state.warn(
      'image_unsafe',
      `A picture at "${truncate(node.url, 80)}" was left out: it is not a web address.`,
    )
    return undefined
  }
  const page = media?.link === undefined ? undefined : safeFileUrl(media.link)
  return {
    id: media?.id,
    src,
    size,
    href: image_link === 'media' ? full : image_link === 'attachment' ? page : undefined,
    caption: image_captions ? renderCaption(node, state) : '',
  }
}

export const renderCaption = ({ caption }: Image, state: RenderContext): string =>
  renderInlines(caption ?? [], state)

/** What both formats write of a sound; `undefined` where its address is not one that may be loaded. */
export function resolveSound(
  { url }: Audio,
  state: RenderContext,
): { id: number | undefined; src: string } | undefined {
  const media = state.media.get(url)
  const src = safeFileUrl(media?.url ?? url)
  if (src === undefined) {
    state.warn('audio_unsafe', `The sound at "${truncate(url, 80)}" was left out: it is not a web address.`)
    return undefined
  }
  return { id: media?.id, src }
}
