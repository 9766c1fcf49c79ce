import { z } from 'zod'
import { excerptValue } from '../../contract/issues.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { RenderContext } from '../../render/context.ts'
import { blockMarkup, escapeAutoembed } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import { embedOfAddress } from '../embed/index.ts'
import type { Block, Inline } from '../index.ts'
import type { Reading } from '../read.ts'
import { firstMember, textNames, type WireObject } from '../wire.ts'

export interface Paragraph {
  type: 'paragraph'
  content: Inline[]
  align?: TextAlignment
}

/** How text may stand. */
export const textAlignments = ['left', 'center', 'right', 'justify'] as const
export type TextAlignment = (typeof textAlignments)[number]

export const textAlignNames = ['align', 'alignment', 'text_align', 'textAlign'] as const

const otherNames: Readonly<Record<TextAlignment, readonly string[]>> = {
  ...{ left: [], center: ['centre', 'centered', 'centred', 'middle'] },
  ...{ right: ['end'], justify: ['justified', 'both'] },
}

/** How a text stands as it is written; undefined where it is as the theme has it. */
export function readTextAlign(written: unknown, reading: Reading): TextAlignment | undefined {
  if (typeof written !== 'string') return undefined
  const word = written.trim().toLowerCase()
  const align = textAlignments.find((side) => side === word || otherNames[side].includes(word))
  if (align === undefined && !/^(|start|none|auto|default|normal|inherit|initial|unset)$/.test(word))
    reading.warn(
      'format_changed',
      `the alignment ${excerptValue(written)} of a text is not known; it stands as the theme has it`,
    )
  return align
}

/** Says of what has an alignment and can have none. @param what it, as `a list item` */
export function leaveOutAlign(wire: WireObject, what: string, reading: Reading): void {
  const align = readTextAlign(firstMember(wire, textAlignNames), reading)
  if (align !== undefined && align !== 'left')
    reading.warn('format_changed', `the alignment "${align}" of ${what} is left out: it can have none`)
}

/** The alignment that the markup can have. */
export function shownAlign(
  align: TextAlignment | undefined,
  { format, warn }: RenderContext,
): TextAlignment | undefined {
  if (align !== 'justify' || format === 'classic') return align
  warn(
    'format_changed',
    'Text is to be justified, which the block editor cannot do: it stands as the theme has it.',
  )
  return undefined
}

/** How a text stands in the comment of its block: since 7.1 as a style, before under the name that the block has for it. */
export const alignAttributes = (align: TextAlignment, name: string, { isAtLeast }: RenderContext): object =>
  isAtLeast(7, 1) ? { style: { typography: { textAlign: align } } } : { [name]: align }

/**
 * Markup of a paragraph.
 * @param html rendered inline content
 * @param comment the attributes in the block's comment
 * @param attributes those of its element
 */
export const paragraphMarkup = {
  block: (html: string, comment = {}, attributes = ''): string =>
    html === '' ? '' : blockMarkup('paragraph', comment, paragraphMarkup.classic(html, attributes)),
  classic: (html: string, attributes = ''): string =>
    html === '' ? '' : `<p${attributes}>${escapeAutoembed(html)}</p>`,
}

function alignedMarkup(html: string, written: TextAlignment | undefined, context: RenderContext): string {
  const align = shownAlign(written, context)
  if (align === undefined) return paragraphMarkup[context.format](html)
  if (context.format === 'classic') return paragraphMarkup.classic(html, ` style="text-align: ${align};"`)
  const comment = alignAttributes(align, 'align', context)
  return paragraphMarkup.block(html, comment, ` class="has-text-align-${align}"`)
}

export const paragraph: BlockDefinition<Paragraph, 'content' | 'align'> = {
  type: 'paragraph',
  aliases: ['p', 'text'],
  names: { content: textNames, align: textAlignNames },
  description: 'A paragraph. A blank line in its text begins another. One without words is left out.',
  example: {
    content: [
      { type: 'text', text: 'The sea rises ' },
      { type: 'bold', text: 'towards' },
      { type: 'text', text: ' the moon, and away from it.' },
    ],
  },
  shape: ({ inlines }) => ({
    content: inlines,
    align: z
      .enum(textAlignments)
      .optional()
      .describe('How its text stands; as the theme has it where left out. The block editor justifies none.'),
  }),
  read: ({ content, align: written }, reading) => {
    const blocks: Block[] = []
    const align = readTextAlign(written, reading)
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
    const hasLines = inline.type === 'text' && inline.text.includes('\n')
    const parts = hasLines ? inline.text.split(blankLine, LIMITS.blocks + 2) : []
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
