import type { Inline } from '../../contract/tree.ts'
import { type InlineHandler, renderChildren, wrap } from '../inline.ts'

export const bold: InlineHandler<Extract<Inline, { type: 'bold' }>> = ({ children }, state, within) => {
  const inside = renderChildren(children, state, {
    bold: true,
    italic: within.italic,
    link: within.link,
    depth: within.depth + 1,
  })
  return within.bold ? inside : wrap('<strong>', inside, '</strong>')
}
