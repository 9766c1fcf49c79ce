import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { escapeAutoembed } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import { embedOfAddress } from '../embed/index.ts'
import type { Block, Inline } from '../index.ts'
import { textNames } from '../wire.ts'

export interface Paragraph {
  type: 'paragraph'
  content: Inline[]
}

/** Markup of a paragraph. @param html rendered inline content */
export const paragraphMarkup = {
  block: (html: string): string =>
    html === '' ? '' : `<!-- wp:paragraph -->\n<p>${escapeAutoembed(html)}</p>\n<!-- /wp:paragraph -->`,
  classic: (html: string): string => (html === '' ? '' : `<p>${escapeAutoembed(html)}</p>`),
}

export const paragraph: BlockDefinition<Paragraph, 'content'> = {
  type: 'paragraph',
  aliases: ['p', 'text'],
  names: { content: textNames },
  schema: ({ inlines }) =>
    z.looseObject({ type: z.literal('paragraph'), content: inlines }).meta({
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
  read: ({ content }, reading) => {
    const blocks: Block[] = []
    for (const part of reading.mixed(content)) {
      for (const block of Array.isArray(part) ? paragraphsOf(part) : [part]) {
        if (blocks.length > 0) reading.count()
        blocks.push(block)
      }
    }
    return blocks.length > 0 ? blocks : [{ type: 'paragraph', content: [] }]
  },
  render: {
    block: ({ content }, context) =>
      embedOfAddress(content, context) ?? paragraphMarkup.block(context.inlines(content)),
    classic: ({ content }, context) =>
      embedOfAddress(content, context) ?? paragraphMarkup.classic(context.inlines(content)),
  },
  parts: ({ content }) => [content],
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
