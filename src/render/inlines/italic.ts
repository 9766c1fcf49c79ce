import type { Inline } from '../../contract/tree.ts'
import { type InlineHandler, wrap } from '../within.ts'

export const italic: InlineHandler<Extract<Inline, { type: 'italic' }>> = (_node, html, _state, within) =>
  within.italic ? html : wrap('<em>', html, '</em>')
