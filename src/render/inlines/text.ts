import type { Inline } from '../../contract/tree.ts'
import { escapeText } from '../escape.ts'
import type { InlineHandler } from '../within.ts'

export const text: InlineHandler<Extract<Inline, { type: 'text' }>> = (node) => escapeText(node.text)
