import { LIMITS, LimitError } from '../contract/limits.ts'
import type { Block, Document, NormalisedDocument } from '../contract/tree.ts'
import type { Warning } from '../errors.ts'
import { blocks } from './blocks.ts'
import { classic } from './classic.ts'
import { createRenderContext, type NodeHandler, type OutputFormat } from './context.ts'
import { type Rendered, type RenderOptions, type RenderSettings, renderSettingsSchema } from './options.ts'

const BLOCK_SEPARATOR = '\n\n'

const formats = { block: blocks, classic } satisfies Record<RenderOptions['format'], OutputFormat>

/**
 * Renders a document to post content. The same document and options always give the same bytes.
 * @throws LimitError for a tree or markup beyond the `LIMITS`, before anything large is allocated
 */
export function renderDocument(document: Document, options: RenderOptions): Rendered {
  const warnings: Warning[] = []
  const state = createRenderContext(document, options, warnings)
  const { handlers, more } = formats[options.format]
  const parts: string[] = []
  let bytes = 0
  for (const block of blocksToRender(document, options)) {
    const html = (handlers[block.type] as NodeHandler<Block>)(block, state)
    if (html === '') continue
    bytes += Buffer.byteLength(html) + BLOCK_SEPARATOR.length
    if (bytes > (options.maxBytes ?? LIMITS.markup)) throw new LimitError('document_markup_too_long')
    if (parts.length === options.settings.more_after) parts.push(more)
    parts.push(html)
  }
  return { markup: parts.join(BLOCK_SEPARATOR), warnings }
}

/** The document's blocks with the audio at the place that the settings choose. */
function blocksToRender({ blocks, audio, featuredImage }: Document, { settings }: RenderOptions): Block[] {
  const body =
    settings.featured_image_in_body === 'keep'
      ? blocks
      : blocks.filter((block) => block.type !== 'image' || block.url !== featuredImage?.url)
  if (audio === undefined || settings.audio === 'none') return body
  return settings.audio === 'top' ? [audio, ...body] : [...body, audio]
}

/*
 * Maximum bytes of markup per unit under any settings, images excluded; a test measures them with the worst shapes. The
 * worst character is a bracket in a URL that appears twice, percent-encoded.
 */
const MAX_BYTES_PER_UNIT = { text: 20, blocks: 400, inlines: 180, cells: 10 }

/** The settings with the longest markup. */
const widestSettings: RenderSettings = renderSettingsSchema.parse({
  outside_links_in_new_tab: true,
  outside_link_rel: ['nofollow', 'sponsored', 'ugc', 'noopener', 'noreferrer', 'external'],
  image_size: 'medium_large',
  image_link: 'media',
})

/** An upper bound of the bytes of a document's markup. */
export const maxMarkupBytes = ({ size: { text, blocks, inlines, cells } }: NormalisedDocument): number =>
  text * MAX_BYTES_PER_UNIT.text +
  blocks * MAX_BYTES_PER_UNIT.blocks +
  inlines * MAX_BYTES_PER_UNIT.inlines +
  cells * MAX_BYTES_PER_UNIT.cells

/**
 * Checks the length of a document's markup. Most pass by {@link maxMarkupBytes}; a large one is rendered.
 * @throws LimitError `document_markup_too_long`
 */
export function assertMarkupWithinLimit(normalised: NormalisedDocument): void {
  if (maxMarkupBytes(normalised) <= LIMITS.markupReceived) return
  renderDocument(normalised.document, {
    format: 'block',
    media: new Map(),
    settings: widestSettings,
    maxBytes: LIMITS.markupReceived,
  })
}
