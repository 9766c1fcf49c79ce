import type { Inline } from '../contract/tree.ts'
import type { State } from './state.ts'

/** The formats around an inline node: none is opened twice. */
export interface Within {
  readonly bold: boolean
  readonly italic: boolean
  readonly link: boolean
  readonly depth: number
}

export const outside: Within = { bold: false, italic: false, link: false, depth: 0 }

/** What stands around the children of a format; `undefined` for one that is not written. */
export const inside = (within: Within, format: Inline['type'] | undefined): Within => ({
  bold: within.bold || format === 'bold',
  italic: within.italic || format === 'italic',
  link: within.link || format === 'link',
  depth: within.depth + 1,
})

/** Renders one kind of inline node; `html` is its children, rendered. */
export type InlineHandler<Node> = (node: Node, html: string, state: State, within: Within) => string

/** Nothing that shows. */
export const isBlank = (html: string): boolean => /^(?:\s|&nbsp;)*$/.test(html)

/** A format around nothing but spaces is only the spaces. */
export const wrap = (open: string, html: string, close: string): string =>
  isBlank(html) ? html : open + html + close
