import { wrapFormat } from '../../render/context.ts'
import type { InlineDefinition } from '../define.ts'
import type { Inline } from '../index.ts'

interface Format<Type extends string> {
  type: Type
  children: Inline[]
}

interface FormatOptions {
  /** Other words for it, as types, as flags and as marks. */
  aliases: readonly string[]
  element: string
  attributes?: string
  description: string
  example: string
}

/** A format: an element around inline content. */
const defineFormat = <Type extends string>(
  type: Type,
  { element, attributes = '', example, ...published }: FormatOptions,
): InlineDefinition<Format<Type>> => {
  const [open, close] = [`<${element}${attributes}>`, `</${element}>`]
  return {
    ...{ type, ...published, isFlag: true, open, close },
    example: { text: example },
    shape: ({ inlines }) => ({ text: inlines }),
    read: (wire, reading) => {
      const children = reading.contentOf(wire)
      return children.length > 0 ? [{ type, children } as Inline] : []
    },
    render: (_node, html, _context, within) =>
      within.open.has(type as Inline['type']) ? html : wrapFormat(open, html, close),
  }
}

export const bold: InlineDefinition<Format<'bold'>> = defineFormat('bold', {
  aliases: ['strong', 'b'],
  element: 'strong',
  description: 'Words in bold.',
  example: 'towards',
})

export const italic: InlineDefinition<Format<'italic'>> = defineFormat('italic', {
  aliases: ['em', 'emphasis', 'i'],
  element: 'em',
  description: 'Words in italics.',
  example: 'chart datum',
})

export const strike: InlineDefinition<Format<'strike'>> = defineFormat('strike', {
  aliases: ['strikethrough', 'strike_through', 'delete', 'del', 's'],
  element: 's',
  description: 'Words that are struck through.',
  example: '12 knots',
})

/** As the editor writes it: `u` means something else in HTML. */
export const underline: InlineDefinition<Format<'underline'>> = defineFormat('underline', {
  aliases: ['underlined', 'u', 'ins'],
  element: 'span',
  attributes: ' style="text-decoration: underline;"',
  description: 'Words that are underlined.',
  example: 'before noon',
})

export const superscript: InlineDefinition<Format<'superscript'>> = defineFormat('superscript', {
  aliases: ['sup', 'super'],
  element: 'sup',
  description: 'Words above the line, as in 10⁻³.',
  example: '−3',
})

export const subscript: InlineDefinition<Format<'subscript'>> = defineFormat('subscript', {
  aliases: ['sub'],
  element: 'sub',
  description: 'Words below the line, as in H₂O.',
  example: '2',
})

export const highlight: InlineDefinition<Format<'highlight'>> = defineFormat('highlight', {
  aliases: ['mark', 'highlighted'],
  element: 'mark',
  description: 'Words that are marked.',
  example: 'twice a day',
})

export const keyboard: InlineDefinition<Format<'keyboard'>> = defineFormat('keyboard', {
  aliases: ['kbd', 'key'],
  element: 'kbd',
  description: 'A key to press.',
  example: 'Ctrl',
})

export const code: InlineDefinition<Format<'code'>> = defineFormat('code', {
  aliases: ['inline_code', 'code_inline', 'code_span'],
  element: 'code',
  description: 'Code amid the text.',
  example: 'ebb()',
})
