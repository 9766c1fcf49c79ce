import { collectWarnings } from '../contract/issues.ts'
import { LIMITS, LimitError } from '../contract/limits.ts'
import type { Block, Document, Inline } from '../contract/tree.ts'
import type { Warning } from '../errors.ts'
import type { RenderOptions } from './options.ts'

/** What every handler may know. Handlers are pure but for {@link RenderContext.warn}. */
export interface RenderContext extends Omit<RenderOptions, 'format'> {
  /** Levels that every heading moves down, see `top_heading_level`. */
  readonly headingShift: number
  /** From 7.1 on the editor keeps an anchor in the block's comment; before, only in the element. */
  readonly anchorInComment: boolean
  warn(code: string, message: string): void
  /** Counts a piece of markup before it is put together with others. @throws LimitError */
  spend(html: string): string
  /** Counts a table's cells before any is made. @throws LimitError */
  countCells(cells: number): void
}

/** Renders one kind of node; the empty string where it has nothing to show. */
export type NodeHandler<Node> = (node: Node, state: RenderContext) => string

export function createRenderContext(
  document: Document,
  options: RenderOptions,
  warnings: Warning[],
): RenderContext {
  const { add: warn } = collectWarnings(warnings)
  const most = options.maxBytes ?? LIMITS.markup
  let spent = 0
  let cells = 0
  return {
    ...options,
    headingShift: headingShift(document, options.settings.top_heading_level),
    anchorInComment: isAtLeast(options.wordpressVersion, 7, 1),
    warn,
    spend: (html) => {
      spent += html.length
      if (spent > most) throw new LimitError('document_markup_too_long')
      return html
    },
    countCells: (more) => {
      cells += more
      if (more > LIMITS.cells || cells > LIMITS.documentCells) throw new LimitError('document_too_many_cells')
    },
  }
}

function headingShift({ blocks }: Document, top: number): number {
  let highest = 6
  for (const block of blocks) if (block.type === 'heading' && block.level < highest) highest = block.level
  return Math.max(0, top - highest)
}

/** A version that is not known counts as the newest. */
function isAtLeast(version: string | undefined, major: number, minor: number): boolean {
  const [ownMajor = Number.POSITIVE_INFINITY, ownMinor = 0] = version?.split('.').map(Number) ?? []
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

/** Stops a tree that was not made by `normaliseDocument` before it overflows the stack. */
export function checkDepth(depth: number, limit: number): void {
  if (depth > limit) throw new LimitError('document_too_deep')
}

/** The formats around an inline node: none is opened twice. */
export interface InlineContext {
  readonly bold: boolean
  readonly italic: boolean
  readonly link: boolean
  readonly depth: number
}

export const topLevelContext: InlineContext = { bold: false, italic: false, link: false, depth: 0 }

/** What stands around the children of a format; `undefined` for one that is not written. */
export const enterFormat = (within: InlineContext, format: Inline['type'] | undefined): InlineContext => ({
  bold: within.bold || format === 'bold',
  italic: within.italic || format === 'italic',
  link: within.link || format === 'link',
  depth: within.depth + 1,
})

/** Renders one kind of inline node; `html` is its children, rendered. */
export type InlineHandler<Node> = (
  node: Node,
  html: string,
  state: RenderContext,
  within: InlineContext,
) => string

/** Nothing that shows. */
export const isBlankHtml = (html: string): boolean => /^(?:\s|&nbsp;)*$/.test(html)

/** A format around nothing but spaces is only the spaces. */
export const wrapFormat = (open: string, html: string, close: string): string =>
  isBlankHtml(html) ? html : open + html + close

/** One way to write a post: a handler for every block type, so that a new type does not compile without one. */
export interface OutputFormat {
  readonly handlers: { readonly [Type in Block['type']]: NodeHandler<Extract<Block, { type: Type }>> }
  /** The break after which only the whole post goes on. */
  readonly more: string
}
