import type { Block, Inline } from '../blocks/index.ts'
import { truncate } from '../lib/text.ts'
import type { WarningCode } from '../warnings.ts'
import { safeFileUrl } from './escape.ts'
import type { RenderOptions } from './options.ts'

/** What the rendering of one document knows and counts. Renderers are pure except for `warn` and `spend`. */
export interface RenderContext extends RenderOptions {
  /** Levels that every heading moves down, see `top_heading_level`. */
  readonly headingShift: number
  /** Whether the site's WordPress is of this version or newer; an unknown one counts as the newest. */
  isAtLeast(major: number, minor: number): boolean
  /** The address of the featured image, where it is not to be shown in the text too. */
  readonly removedPicture: string | undefined
  /**
   * Inline content of an element, trimmed; empty where nothing would be visible.
   * @param verbatim whether white space stays as it is, as in `<pre>`
   */
  inlines(nodes: readonly Inline[], verbatim?: boolean): string
  /** The reference to a note, which stands at the end of the post. */
  footnote(note: Inline[]): string
  /** Blocks inside a block; empty where nothing would be visible. */
  blocks(nodes: readonly Block[]): string
  /** Each sentence once. */
  warn(code: WarningCode, message: string): void
  /** Counts a piece of markup before it is joined to others. @throws LimitError */
  spend(html: string): string
}

export const isBlankHtml = (html: string): boolean => /^(?:\s|&nbsp;|<br(?: \/)?>)*$/.test(html)

/** A format around only spaces is dropped. */
export const wrapFormat = (open: string, html: string, close: string): string =>
  isBlankHtml(html) ? html : open + html + close

/** A caption as the block editor saves it; empty where there is none. */
export const figcaption = (html: string): string =>
  html === '' ? '' : `<figcaption class="wp-element-caption">${html}</figcaption>`

/** What a classic theme shows with a caption. @param align the class of its alignment */
export const classicFigure = (html: string, caption: string, align = 'alignnone'): string =>
  `<figure class="wp-caption ${align}">${html}<figcaption class="wp-caption-text">${caption}</figcaption></figure>`

/** A file of a post: `undefined` where it could not be had, or its address is not one that may be loaded. */
export function resolveFile(
  url: string,
  kind: 'audio' | 'video',
  context: RenderContext,
): { id: number | undefined; src: string } | undefined {
  if (context.hidden?.has(url)) return undefined
  const media = context.media.get(url)
  const src = safeFileUrl(media?.url ?? url)
  const what = kind === 'audio' ? 'sound' : 'film'
  if (src !== undefined) return { id: media?.id, src }
  context.warn(
    `${kind}_unsafe`,
    `The ${what} at "${truncate(url, 80)}" was left out: it is not a web address.`,
  )
  return undefined
}
