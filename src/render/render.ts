import type { InlineContext, InlineDefinition } from '../blocks/define.ts'
import {
  type Document,
  definitionOf,
  inlineDefinitionOf,
  maxMarkupBytes,
  type NormalisedDocument,
  Warnings,
  walkBlocks,
} from '../blocks/document.ts'
import { asList } from '../blocks/footnotes/index.ts'
import { createReferences, REFERENCE_END, type References } from '../blocks/footnotes/render.ts'
import type { Block, Inline } from '../blocks/index.ts'
import { LIMITS, LimitError } from '../contract/limits.ts'
import { trimOf } from '../lib/text.ts'
import { isBlankHtml, type RenderContext } from './context.ts'
import { type Rendered, type RenderOptions, type RenderSettings, renderSettingsSchema } from './options.ts'

const BLOCK_SEPARATOR = '\n\n'

/** The “read more” break. */
const more = { block: '<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->', classic: '<!--more-->' }

/**
 * Renders a document to post content. The same document and options always give the same bytes.
 * @throws LimitError for markup beyond the `LIMITS`, before anything large is allocated; `normaliseDocument` bounds depth and cells
 */
export function renderDocument(document: Document, options: RenderOptions): Rendered {
  const context = createRenderContext(document, options)
  const parts: string[] = []
  const most = options.maxBytes ?? LIMITS.markup
  let bytes = 0
  for (const block of blocksToRender(document, options)) {
    const html = renderBlock(block, context)
    if (html === '') continue
    bytes += Buffer.byteLength(html) + BLOCK_SEPARATOR.length
    if (bytes > most) throw new LimitError('document_markup_too_long')
    if (parts.length === options.settings.more_after) parts.push(more[options.format])
    parts.push(html)
  }
  const { markup, footnotes } = withFootnotes(parts.join(BLOCK_SEPARATOR), context)
  if (Buffer.byteLength(markup) > most) throw new LimitError('document_markup_too_long')
  return { markup, footnotes, warnings: context.warnings.list }
}

/** Numbers the references, and puts the notes behind the text where the post has no other place for them. */
function withFootnotes(text: string, context: Rendering): Pick<Rendered, 'markup' | 'footnotes'> {
  const { markup, notes } = context.references.number(text)
  if (notes.length === 0) return { markup, footnotes: [] }
  if (context.footnotesIn === 'meta')
    return {
      markup: `${markup}${BLOCK_SEPARATOR}<!-- wp:footnotes /-->`,
      footnotes: notes.map(({ id, note }) => ({ id, content: context.inlines(note) })),
    }
  if (context.format === 'block')
    context.warn(
      'footnotes_as_list',
      'The footnotes stand in a list at the end of the post: this WordPress has no place for them (6.3 and newer, where the post type has custom fields and revisions).',
    )
  const listed = notes.map(({ id, note }): Inline[] => [
    ...note,
    { type: 'text', text: ' ' },
    { type: 'link', href: `#${id}-link`, anchor: id, children: [{ type: 'text', text: '↩\ufe0e' }] },
  ])
  return { markup: markup + BLOCK_SEPARATOR + renderBlock(asList(listed), context), footnotes: [] }
}

interface Rendering extends RenderContext {
  readonly references: References
  readonly warnings: Warnings
  readonly footnotesIn: 'meta' | 'list'
}

/** The document's blocks with the audio at the place that the settings choose. */
function blocksToRender({ blocks, audio }: Document, { settings }: RenderOptions): Block[] {
  if (audio === undefined || settings.audio === 'none') return blocks
  return settings.audio === 'top' ? [audio, ...blocks] : [...blocks, audio]
}

const renderBlock = (block: Block, context: RenderContext): string =>
  definitionOf(block).render[context.format](block, context)

function createRenderContext(document: Document, options: RenderOptions): Rendering {
  const warnings = new Warnings()
  const most = options.maxBytes ?? LIMITS.markup
  const { settings } = options
  let spent = 0
  const open = new Set<Inline['type']>()
  const hasMeta = options.format === 'block' && isAtLeast(options.wordpressVersion, 6, 3)
  const footnotesIn = hasMeta ? (options.footnotes ?? 'meta') : 'list'
  const references = createReferences(document.title, footnotesIn === 'meta')
  const context: Rendering = {
    references,
    footnotesIn,
    footnote: references.refer,
    headingShift: headingShift(document, settings.top_heading_level),
    isAtLeast: (major, minor) => isAtLeast(options.wordpressVersion, major, minor),
    removedPicture: settings.featured_image_in_body === 'remove' ? document.featuredImage?.url : undefined,
    inlines: (nodes, verbatim = false) => {
      const html = trimOf(renderInlines(nodes, context, { open, verbatim }), ' ')
      return isBlankHtml(html) ? '' : context.spend(html)
    },
    /** Joined as the editor does; on one line in classic HTML, where `wpautop` would see a line break. */
    blocks: (nodes) => {
      if (nodes.length === 0) return ''
      const parts = nodes.map((node) => renderBlock(node, context)).filter((html) => html !== '')
      return parts.join(options.format === 'block' ? BLOCK_SEPARATOR : '')
    },
    warnings,
    warn: (code, message) => warnings.add(code, message),
    spend: (html) => {
      spent += html.length
      if (spent > most) throw new LimitError('document_markup_too_long')
      return html
    },
    // Last: V8 takes 20 µs for an object that begins with a spread and goes on with functions.
    ...options,
  }
  return context
}

function headingShift({ blocks }: Document, top: number): number {
  let highest = 6
  walkBlocks(blocks, (block) => {
    if (block.type === 'heading' && block.level < highest) highest = block.level
  })
  return Math.max(0, top - highest)
}

/** An unknown version counts as the newest. */
function isAtLeast(version: string | undefined, major: number, minor: number): boolean {
  const [ownMajor = Number.POSITIVE_INFINITY, ownMinor = 0] = version?.split('.').map(Number) ?? []
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

interface OpenFormats extends InlineContext {
  readonly open: Set<Inline['type']>
}

/** Renders siblings; two adjacent ones of the same format are merged. */
function renderInlines(nodes: readonly Inline[], context: RenderContext, within: OpenFormats): string {
  // Only the last node is inspected again. Keeping it apart avoids a copy of the whole markup per node and level.
  let html = ''
  let last = ''
  for (const node of nodes) {
    const definition = inlineDefinitionOf(node)
    const inside = 'children' in node ? renderChildren(node, definition, context, within) : ''
    let next = definition.render(node, inside, context, within)
    if (next === '') continue
    const { open, close } = definition
    const mayJoin = close !== undefined && last.endsWith(close) && !last.endsWith(REFERENCE_END)
    // Asked last: to look into the longer markup copies it.
    if (mayJoin && open !== undefined && next.startsWith(open)) {
      last = last.slice(0, -close.length)
      next = next.slice(open.length)
    }
    html += last
    last = next
  }
  return html + last
}

function renderChildren(
  node: Extract<Inline, { children: Inline[] }>,
  { opens }: InlineDefinition<Inline>,
  context: RenderContext,
  within: OpenFormats,
): string {
  const isOpened = !within.open.has(node.type) && (opens === undefined || opens(node))
  if (isOpened) within.open.add(node.type)
  const html = renderInlines(node.children, context, within)
  if (isOpened) within.open.delete(node.type)
  return html
}

/** The settings with the longest markup. */
const widestSettings: RenderSettings = renderSettingsSchema.parse({
  outside_links_in_new_tab: true,
  outside_link_rel: ['nofollow', 'sponsored', 'ugc', 'noopener', 'noreferrer', 'external'],
  image_size: 'medium_large',
  image_link: 'media',
})

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
