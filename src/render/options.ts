import { z } from 'zod'
import type { FootnoteRecord } from '../blocks/footnotes/render.ts'
import type { Warning } from '../errors.ts'

/** An image or audio file of the document in the site's media library. */
export interface RenderMedia {
  /** Attachment id; absent for a remote file. */
  id?: number
  /** Address of the full file. */
  url: string
  /** Address of the attachment's own page. */
  link?: string
  /** An image's sizes by name; without them `url` serves every size. */
  sizes?: Readonly<Record<string, { url: string }>>
}

export interface RenderOptions {
  /** Blocks for the block editor, or the HTML of the classic editor. */
  format: 'block' | 'classic'
  /** Uploaded files by their URL in the document. An image without an entry stays remote. */
  media: ReadonlyMap<string, RenderMedia>
  settings: RenderSettings
  /** `https://example.com`: links to other origins are external. Without it, all are. */
  siteOrigin?: string
  /** The site's WordPress version, where known: headings with an anchor are saved differently before 7.1. */
  wordpressVersion?: string
  /** Where notes go: into the meta of the post, for the block `core/footnotes`, or into a list at its end, which any WordPress shows. */
  footnotes?: 'meta' | 'list'
  /** Addresses of files that could not be had and are not shown; the words below a picture stay. */
  hidden?: ReadonlySet<string>
  /** Default `LIMITS.markup`. */
  maxBytes?: number
}

export interface Rendered {
  markup: string
  /** The meta `footnotes` that belongs to the markup. */
  footnotes: FootnoteRecord[]
  /** Content that was dropped or changed for safety. */
  warnings: Warning[]
}

/** A site's markup settings. Every member has a default, so `{}` is valid. */
export const renderSettingsSchema = z.object({
  top_heading_level: z
    .int()
    .min(1)
    .max(6)
    .default(2)
    .describe(
      'No heading is above this level. If a document has one that is, all its headings move down ' +
        'together, so that they keep their order. 2 by default, since the title is the page’s level 1.',
    ),
  code_language_class: z
    .boolean()
    .default(true)
    .describe('Names the language of a code block in a class, `language-ts`, for syntax highlighters.'),
  outside_links_in_new_tab: z
    .boolean()
    .default(false)
    .describe(
      'Links to other sites open in a new tab, with `rel="noreferrer noopener"` as the editor writes it.',
    ),
  outside_link_rel: z
    .array(z.enum(['nofollow', 'sponsored', 'ugc', 'noopener', 'noreferrer', 'external']))
    // Every link lists them, and a request could repeat one 100,000 times.
    .overwrite((words) => [...new Set(words)])
    .default([])
    .describe('What `rel` says of links to other sites, beside what a new tab asks for.'),
  embed_addresses: z
    .boolean()
    .default(true)
    .describe(
      'The address of a video, a post or a track alone in a paragraph becomes its player, where WordPress knows the ' +
        'provider. Otherwise it stays text.',
    ),
  image_size: z
    .enum(['thumbnail', 'medium', 'medium_large', 'large', 'full'])
    .default('large')
    .describe('Size of pictures in the text; where the library has no such size of a picture, `full`.'),
  image_link: z
    .enum(['none', 'media', 'attachment'])
    .default('none')
    .describe('Where a picture leads when clicked: nowhere, to its file, or to its own page.'),
  image_captions: z.boolean().default(true).describe('Shows the captions of pictures.'),
  more_after: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Sets the “Read more” break after this many blocks; `null` for none.'),
  featured_image_in_body: z
    .enum(['keep', 'remove'])
    .default('keep')
    .describe(
      'What becomes of a picture in the text that is also the featured image: kept, or removed where the ' +
        'theme shows the featured image above the text anyway.',
    ),
  audio: z
    .enum(['top', 'bottom', 'none'])
    .default('top')
    .describe('Where the player for the narration is placed, if the document has one.'),
})

/** `renderSettingsSchema.parse({})` gives the defaults. */
export type RenderSettings = z.output<typeof renderSettingsSchema>
