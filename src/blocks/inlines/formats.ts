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

const options = {
  bold: {
    aliases: ['strong', 'b'],
    element: 'strong',
    description: 'Words in bold.',
    example: 'towards',
  },
  italic: {
    aliases: ['em', 'emphasis', 'i'],
    element: 'em',
    description: 'Words in italics.',
    example: 'chart datum',
  },
  strike: {
    aliases: ['strikethrough', 'strike_through', 'delete', 'del', 's'],
    element: 's',
    description: 'Words that are struck through.',
    example: '12 knots',
  },
  /** As the editor writes it: `u` means something else in HTML. */
  underline: {
    aliases: ['underlined', 'u', 'ins'],
    element: 'span',
    attributes: ' style="text-decoration: underline;"',
    description: 'Words that are underlined.',
    example: 'before noon',
  },
  superscript: {
    aliases: ['sup', 'super'],
    element: 'sup',
    description: 'Words above the line, as in 10⁻³.',
    example: '−3',
  },
  subscript: {
    aliases: ['sub'],
    element: 'sub',
    description: 'Words below the line, as in H₂O.',
    example: '2',
  },
  highlight: {
    aliases: ['mark', 'highlighted'],
    element: 'mark',
    description: 'Words that are marked.',
    example: 'twice a day',
  },
  keyboard: {
    aliases: ['kbd', 'key'],
    element: 'kbd',
    description: 'A key to press.',
    example: 'Ctrl',
  },
  code: {
    aliases: ['inline_code', 'code_inline', 'code_span'],
    element: 'code',
    description: 'Code amid the text.',
    example: 'ebb()',
  },
} satisfies Record<string, FormatOptions>

type FormatNode = { [Type in keyof typeof options]: Format<Type> }[keyof typeof options]

/** Formats: an element around inline content. */
export const formats: readonly InlineDefinition<FormatNode>[] = Object.entries<FormatOptions>(options).map(
  ([name, { element, attributes = '', example, ...published }]) => {
    const type = name as FormatNode['type']
    const [open, close] = [`<${element}${attributes}>`, `</${element}>`]
    return {
      ...{ type, ...published, isFlag: true, open, close },
      example: { text: example },
      shape: ({ inlines }) => ({ text: inlines }),
      read: (wire, reading) => {
        const children = reading.contentOf(wire)
        return children.length > 0 ? [{ type, children }] : []
      },
      render: (_node, html, _context, within) =>
        within.open.has(type) ? html : wrapFormat(open, html, close),
    }
  },
)
