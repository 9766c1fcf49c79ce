import type { Inline } from '../../contract/tree.ts'
import { type InlineHandler, wrap } from '../within.ts'

export const bold: InlineHandler<Extract<Inline, { type: 'bold' }>> = (_node, html, _state, within) =>
  within.bold ? html : wrap('<strong>', html, '</strong>')
