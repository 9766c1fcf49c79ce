import type { Inline } from '../../contract/tree.ts'
import { escapeText } from '../escape.ts'
import { type InlineHandler, wrap } from '../within.ts'

export const code: InlineHandler<Extract<Inline, { type: 'code' }>> = ({ text }) =>
  wrap('<code>', escapeText(text), '</code>')
