import type { Inline } from '../../contract/tree.ts'
import { type InlineHandler, renderChildren, wrap } from '../inline.ts'

export const italic: InlineHandler<Extract<Inline, { type: 'italic' }>> = ({ children }, state, within) => {
  const inside = renderChildren(children, state, {
    bold: within.bold,
    italic: true,
    link: within.link,
    depth: within.depth + 1,
  })
  return within.italic ? inside : wrap('<em>', inside, '</em>')
}
