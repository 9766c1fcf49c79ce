import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import type { RenderContext } from '../../render/context.ts'
import { escapeAutoembed, serializeBlockAttributes } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import { embedOfAddress } from '../embed/index.ts'
import type { Block, Inline } from '../index.ts'
import { textNames } from '../wire.ts'

export interface Paragraph {
  type: 'paragraph'
  content: Inline[]
  align?: TextAlignment
}

/** How text may stand; the editor has no other. */
export const textAlignments = ['left', 'center', 'right'] as const
export type TextAlignment = (typeof textAlignments)[number]

export const textAlignNames = ['align', 'alignment', 'text_align', 'textAlign'] as const

/**
 * Markup of a paragraph.
 * @param html rendered inline content
 * @param comment the attributes in the block's comment
 * @param attributes those of its element
 */
export const paragraphMarkup = {
  block: (html: string, comment = '', attributes = ''): string =>
    html === ''
      ? ''
      : `<!-- wp:paragraph${comment} -->\n<p${attributes}>${escapeAutoembed(html)}</p>\n<!-- /wp:paragraph -->`,
  classic: (html: string, attributes = ''): string =>
    html === '' ? '' : `<p${attributes}>${escapeAutoembed(html)}</p>`,
}

/** Since 7.1 the editor saves how a text stands as a style. */
function alignedMarkup(html: string, align: TextAlignment | undefined, context: RenderContext): string {
  if (align === undefined) return paragraphMarkup[context.format](html)
  if (context.format === 'classic') return paragraphMarkup.classic(html, ` style="text-align: ${align};"`)
  const attributes = context.isAtLeast(7, 1) ? { style: { typography: { textAlign: align } } } : { align }
  return paragraphMarkup.block(html, serializeBlockAttributes(attributes), ` class="has-text-align-${align}"`)
}

export const paragraph: BlockDefinition<Paragraph, 'content' | 'align'> = {
  type: 'paragraph',
  aliases: ['p', 'text'],
  names: { content: textNames, align: textAlignNames },
  schema: ({ inlines }) =>
    z
      .looseObject({
        type: z.literal('paragraph'),
        content: inlines,
        align: z
          .enum(textAlignments)
          .optional()
          .describe('How its text stands; as the theme has it where left out.'),
      })
      .meta({
        id: 'ParagraphBlock',
        description: 'A paragraph. A blank line in its text begins another. One without words is left out.',
        examples: [
          {
            type: 'paragraph',
            content: [
              { type: 'text', text: 'The sea rises ' },
              { type: 'bold', text: 'towards' },
              { type: 'text', text: ' the moon, and away from it.' },
            ],
          },
        ],
      }),
  read: ({ content, align: written }, reading) => {
    const blocks: Block[] = []
    const align = textAlignments.find((side) => side === written)
    for (const part of reading.mixed(content)) {
      for (const block of Array.isArray(part) ? paragraphsOf(part) : [part]) {
        if (blocks.length > 0) reading.count()
        blocks.push(align !== undefined && block.type === 'paragraph' ? { align, ...block } : block)
      }
    }
    return blocks.length > 0 ? blocks : [{ type: 'paragraph', content: [] }]
  },
  render: { block: render, classic: render },
  parts: ({ content }) => [content],
}

function render({ content, align }: Paragraph, context: RenderContext): string {
  return embedOfAddress(content, context) ?? alignedMarkup(context.inlines(content), align, context)
}

const blankLine = /\n[^\S\n]*\n/

/** Running text as paragraphs: a blank line ends one. Text inside a format stays together. */
export function paragraphsOf(inlines: Inline[]): Paragraph[] {
  const paragraphs: Paragraph[] = []
  let content: Inline[] = []
  const end = () => {
    if (content.length > 0) paragraphs.push({ type: 'paragraph', content })
    content = []
  }
  for (const inline of inlines) {
    const parts = inline.type === 'text' ? inline.text.split(blankLine, LIMITS.blocks + 2) : []
    if (parts.length < 2) content.push(inline)
    else
      for (const [index, text] of parts.entries()) {
        if (index > 0) end()
        if (text !== '') content.push({ type: 'text', text })
      }
  }
  end()
  return paragraphs
}
