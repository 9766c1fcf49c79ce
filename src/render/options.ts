import type { Warning } from '../errors.ts'
import type { RenderSettings } from './settings.ts'

/** A picture or a sound of the document as it now stands in the site's library. */
export interface RenderMedia {
  /** Attachment id; without one the file is shown from where it is. */
  id?: number
  /** Address of the full file. */
  url: string
  /** Address of the attachment's own page. */
  link?: string
  /** Sizes that the library has of a picture, by name; where absent, `url` is taken for any size. */
  sizes?: Readonly<Record<string, { url: string }>>
}

export interface RenderOptions {
  /** Blocks for the block editor, or the HTML of the classic editor. */
  format: 'block' | 'classic'
  /** What was uploaded, by the address that the document gives. A picture without an entry stays remote. */
  media: ReadonlyMap<string, RenderMedia>
  settings: RenderSettings
  /** Origin of the site, `https://example.com`: links to anywhere else lead outside. Without it, all do. */
  siteOrigin?: string
  /** The site's WordPress, `6.8.7`, where known: headings with an anchor are saved differently before 7.1. */
  wordpressVersion?: string
  /** Bytes of markup at most; `LIMITS.markup` unless given. */
  maxBytes?: number
}

export interface Rendered {
  markup: string
  /** What was left out or changed for safety. */
  warnings: Warning[]
}
