import { z } from 'zod'
import { excerptValue } from '../../contract/issues.ts'
import type { RenderContext } from '../../render/context.ts'
import { blockMarkup, escapeAttribute, escapeBlockAttribute, safeAnchor } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Inline } from '../index.ts'
import {
  alignAttributes,
  readTextAlign,
  shownAlign,
  type TextAlignment,
  textAlignments,
  textAlignNames,
} from '../paragraph/index.ts'
import type { Reading } from '../read.ts'
import { filled, textNames } from '../wire.ts'

export interface Heading {
  type: 'heading'
  level: 1 | 2 | 3 | 4 | 5 | 6
  content: Inline[]
  anchor?: string
  align?: TextAlignment
}

/** The level in the post, see `top_heading_level`. */
const shownLevel = ({ level }: Heading, { headingShift }: RenderContext): number =>
  Math.min(6, level + headingShift)

export const heading: BlockDefinition<Heading, 'content' | 'level' | 'anchor' | 'align'> = {
  type: 'heading',
  aliases: ['header', 'title', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  names: {
    content: [...textNames, 'title', 'heading'],
    level: ['level', 'heading_level', 'headingLevel', 'depth', 'rank', 'tag'],
    anchor: ['anchor'],
    align: textAlignNames,
  },
  description: 'A heading.',
  example: { level: 2, text: 'Two bulges', anchor: 'two-bulges' },
  shape: ({ inlines }) => ({
    level: z.int().min(1).max(6).describe('1 to 6; where a document has a 1, all move one down.'),
    text: inlines,
    anchor: z.string().optional().describe('The name that links within the document lead to.'),
    align: z.enum(textAlignments).optional().describe('How its text stands, as that of a paragraph.'),
  }),
  read: ({ content, level, anchor, align: written }, reading, type) => {
    const align = readTextAlign(written, reading)
    const name = typeof anchor === 'string' && anchor.trim() !== '' ? anchor : undefined
    return [
      {
        type: 'heading',
        level: readLevel(level ?? type, level, reading),
        content: reading.inlines(content),
        ...filled({ anchor: name && reading.line('anchor', name), align }),
      },
    ]
  },
  render: {
    block: (node, context) => {
      const html = context.inlines(node.content)
      if (html === '') return ''
      const level = shownLevel(node, context)
      const anchor = safeAnchor(node.anchor ?? '')
      const align = shownAlign(node.align, context)
      const isNew = context.isAtLeast(7, 1)
      const aligned = align === undefined ? {} : alignAttributes(align, 'textAlign', context)
      const inComment = {
        ...(isNew ? {} : aligned),
        level: level === 2 ? undefined : level,
        // WordPress 7.1 and later also keep the anchor in the block comment.
        anchor: isNew ? anchor || undefined : undefined,
        ...(isNew ? aligned : {}),
      }
      const id = anchor === '' ? '' : ` id="${escapeBlockAttribute(anchor)}"`
      const className = ` class="wp-block-heading${align === undefined ? '' : ` has-text-align-${align}`}"`
      const attributes = isNew && align === undefined ? id + className : className + id
      return blockMarkup('heading', inComment, `<h${level}${attributes}>${html}</h${level}>`)
    },
    classic: (node, context) => {
      const html = context.inlines(node.content)
      if (html === '') return ''
      const level = shownLevel(node, context)
      const anchor = safeAnchor(node.anchor ?? '')
      const id = anchor === '' ? '' : ` id="${escapeAttribute(anchor)}"`
      const style = node.align === undefined ? '' : ` style="text-align: ${node.align};"`
      return `<h${level}${id}${style}>${html}</h${level}>`
    },
  },
  parts: ({ content }) => [content],
}

/** Level as `2`, `"2"`, `"h2"` or by the type `h2`. */
function readLevel(written: unknown, level: unknown, reading: Reading): Heading['level'] {
  const number = typeof written === 'string' ? Number(written.replace(/^h/i, '')) : written
  if (isLevel(number)) return number
  const nearest = typeof number === 'number' && number > 6 ? 6 : 2
  reading.warn(
    'heading_level',
    level === undefined
      ? `the heading has no level; ${nearest} is used`
      : `heading level ${excerptValue(level)} is not 1 to 6; ${nearest} is used`,
  )
  return nearest
}

const isLevel = (level: unknown): level is Heading['level'] =>
  typeof level === 'number' && Number.isInteger(level) && level >= 1 && level <= 6
