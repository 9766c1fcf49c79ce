import { LimitError } from '../contract/limit-error.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Document } from '../contract/tree.ts'
import { collectWarnings } from '../contract/warnings.ts'
import type { Warning } from '../errors.ts'
import type { RenderOptions } from './options.ts'

/** What every handler may know. Handlers are pure but for {@link State.warn}. */
export interface State extends Omit<RenderOptions, 'format'> {
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
export type Handler<Node> = (node: Node, state: State) => string

export function createState(document: Document, options: RenderOptions, warnings: Warning[]): State {
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
