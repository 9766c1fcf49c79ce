import { z } from 'zod'
import { excerptValue } from '../../contract/issues.ts'
import type { RenderContext } from '../../render/context.ts'
import {
  escapeAttribute,
  escapeBlockAttribute,
  safeAnchor,
  serializeBlockAttributes,
} from '../../render/escape.ts'
import type { BlockDefinition, Reading } from '../define.ts'
import type { Inline } from '../index.ts'
import { textNames } from '../wire.ts'

export interface Heading {
  type: 'heading'
  level: 1 | 2 | 3 | 4 | 5 | 6
  content: Inline[]
  anchor?: string
}

/** The level in the post, see `top_heading_level`. */
const shownLevel = ({ level }: Heading, { headingShift }: RenderContext): number =>
  Math.min(6, level + headingShift)

export const heading: BlockDefinition<Heading, 'content' | 'level' | 'anchor'> = {
  type: 'heading',
  aliases: ['header', 'title', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  names: { content: textNames, level: ['level'], anchor: ['anchor'] },
  schema: ({ inlines }) =>
    z
      .looseObject({
        type: z.literal('heading'),
        level: z.int().min(1).max(6).describe('1 to 6; where a document has a 1, all move one down.'),
        text: inlines,
        anchor: z.string().optional().describe('The name that links within the document lead to.'),
      })
      .meta({
        id: 'HeadingBlock',
        description: 'A heading.',
        examples: [{ type: 'heading', level: 2, text: 'Two bulges', anchor: 'two-bulges' }],
      }),
  read: ({ content, level, anchor }, reading, type) => [
    {
      type: 'heading',
      level: readLevel(level ?? type, level, reading),
      content: reading.inlines(content),
      ...(typeof anchor === 'string' && anchor.trim() !== ''
        ? { anchor: reading.line('anchor', anchor) }
        : {}),
    },
  ],
  render: {
    block: (node, context) => {
      const html = context.inlines(node.content)
      if (html === '') return ''
      const level = shownLevel(node, context)
      const anchor = safeAnchor(node.anchor ?? '')
      const comment = serializeBlockAttributes({
        ...(level === 2 ? {} : { level }),
        ...(anchor !== '' && context.isAtLeast(7, 1) ? { anchor } : {}),
      })
      const id = anchor === '' ? '' : ` id="${escapeBlockAttribute(anchor)}"`
      // WordPress 7.1 and later also keep the anchor in the block comment.
      const attributes = context.isAtLeast(7, 1)
        ? `${id} class="wp-block-heading"`
        : ` class="wp-block-heading"${id}`
      return `<!-- wp:heading${comment} -->\n<h${level}${attributes}>${html}</h${level}>\n<!-- /wp:heading -->`
    },
    classic: (node, context) => {
      const html = context.inlines(node.content)
      if (html === '') return ''
      const level = shownLevel(node, context)
      const anchor = safeAnchor(node.anchor ?? '')
      const id = anchor === '' ? '' : ` id="${escapeAttribute(anchor)}"`
      return `<h${level}${id}>${html}</h${level}>`
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
