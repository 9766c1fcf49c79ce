import { LimitError } from '../contract/limit-error.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Block, Document } from '../contract/tree.ts'
import type { Warning } from '../errors.ts'
import { blocks } from './blocks/index.ts'
import { classic } from './classic/index.ts'
import type { Format } from './format.ts'
import type { Rendered, RenderOptions } from './options.ts'
import { createState, type Handler } from './state.ts'

/** Between blocks. */
const GAP = '\n\n'

const formats = { block: blocks, classic } satisfies Record<RenderOptions['format'], Format>

/**
 * A document as the content of a post. Pure: the same document and options always give the same bytes.
 * @throws LimitError for a tree beyond the `LIMITS`, or more markup; nothing large is made before that is known
 */
export function renderDocument(document: Document, options: RenderOptions): Rendered {
  const warnings: Warning[] = []
  const state = createState(document, options, warnings)
  const { handlers, more } = formats[options.format]
  const parts: string[] = []
  let bytes = 0
  for (const block of shownBlocks(document, options)) {
    const html = (handlers[block.type] as Handler<Block>)(block, state)
    if (html === '') continue
    bytes += Buffer.byteLength(html) + GAP.length
    if (bytes > (options.maxBytes ?? LIMITS.markup)) throw new LimitError('document_markup_too_long')
    if (parts.length === options.settings.more_after) parts.push(more)
    parts.push(html)
  }
  return { markup: parts.join(GAP), warnings }
}

/** The blocks of the text with the narration in its place, as the site chose. */
function shownBlocks({ blocks, audio, featuredImage }: Document, { settings }: RenderOptions): Block[] {
  const body =
    settings.featured_image_in_body === 'keep'
      ? blocks
      : blocks.filter((block) => block.type !== 'image' || block.url !== featuredImage?.url)
  if (audio === undefined || settings.audio === 'none') return body
  return settings.audio === 'top' ? [audio, ...body] : [...body, audio]
}
