import { z } from 'zod'
import { escapeCode, escapeText } from '../../render/escape.ts'
import type { InlineDefinition } from '../define.ts'
import { textMember } from '../wire.ts'

interface Text {
  type: 'text'
  text: string
}

export const text: InlineDefinition<Text> = {
  type: 'text',
  aliases: ['span'],
  description: 'Words without any format; white space collapses, as on every page.',
  example: { text: 'The sea rises ' },
  shape: () => ({ text: z.string().describe('The words.') }),
  read: () => 'content',
  render: (node, _html, _context, { verbatim }) => (verbatim ? escapeCode(node.text) : escapeText(node.text)),
}

interface Break {
  type: 'break'
}

export const lineBreak: InlineDefinition<Break> = {
  type: 'break',
  aliases: ['line_break', 'linebreak', 'hard_break', 'soft_break', 'newline', 'br'],
  description: 'A line break within a paragraph, as in an address or a poem.',
  example: {},
  shape: () => ({}),
  read: (wire, reading) => [
    { type: 'break' },
    ...(textMember(wire) === undefined ? [] : reading.contentOf(wire)),
  ],
  render: (_node, _html, { format }) => (format === 'block' ? '<br>' : '<br />'),
}
