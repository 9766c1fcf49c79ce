import { collectWarnings } from '../contract/issues.ts'
import { LIMITS, LimitError } from '../contract/limits.ts'
import type { Block, Document, Inline } from '../contract/tree.ts'
import type { Warning } from '../errors.ts'
import type { RenderOptions } from './options.ts'

/** Handlers are pure except for `warn`, `spend` and `countCells`. */
export interface RenderContext extends Omit<RenderOptions, 'format'> {
  /** Levels that every heading moves down, see `top_heading_level`. */
  readonly headingShift: number
  /** WordPress 7.1 and later also keep an anchor in the block comment. */
  readonly anchorInComment: boolean
  warn(code: string, message: string): void
  /** Counts a piece of markup before it is joined to others. @throws LimitError */
  spend(html: string): string
  /** Counts a table's cells before any is rendered. @throws LimitError */
  countCells(cells: number): void
}

/** Renders one kind of node; empty where nothing would be visible. */
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

/** An unknown version counts as the newest. */
function isAtLeast(version: string | undefined, major: number, minor: number): boolean {
  const [ownMajor = Number.POSITIVE_INFINITY, ownMinor = 0] = version?.split('.').map(Number) ?? []
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

/** Rejects a tree not from `normaliseDocument` before it overflows the stack. @throws LimitError */
export function checkDepth(depth: number, limit: number): void {
  if (depth > limit) throw new LimitError('document_too_deep')
}

/** The open formats around an inline node; none is opened twice. */
export interface InlineContext {
  readonly bold: boolean
  readonly italic: boolean
  readonly link: boolean
  readonly depth: number
}

export const topLevelContext: InlineContext = { bold: false, italic: false, link: false, depth: 0 }

/** The context of a format's children. @param format undefined for one that is not rendered */
export const enterFormat = (within: InlineContext, format: Inline['type'] | undefined): InlineContext => ({
  bold: within.bold || format === 'bold',
  italic: within.italic || format === 'italic',
  link: within.link || format === 'link',
  depth: within.depth + 1,
})

/** Renders one kind of inline node. @param html its rendered children */
export type InlineHandler<Node> = (
  node: Node,
  html: string,
  state: RenderContext,
  within: InlineContext,
) => string

export const isBlankHtml = (html: string): boolean => /^(?:\s|&nbsp;)*$/.test(html)

/** A format around only spaces is dropped. */
export const wrapFormat = (open: string, html: string, close: string): string =>
  isBlankHtml(html) ? html : open + html + close

/** A handler for every block type: a new type does not compile without one. */
export interface OutputFormat {
  readonly handlers: { readonly [Type in Block['type']]: NodeHandler<Extract<Block, { type: Type }>> }
  /** The “read more” break. */
  readonly more: string
}
