import { z } from 'zod'
import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Block } from '../index.ts'
import { textNames } from '../wire.ts'

/**
 * A box that is set apart. A group, and not a quote: it holds any block, and a screen reader does not announce somebody
 * else's words.
 */
export interface Callout {
  type: 'callout'
  /** What it warns or tells of, in small letters and digits. */
  kind?: string
  content: Block[]
}

const kinds = ['note', 'tip', 'info', 'warning', 'danger', 'important', 'caution', 'success', 'hint']

export const callout: BlockDefinition<Callout, 'content' | 'title' | 'kind' | 'icon'> = {
  type: 'callout',
  aliases: ['admonition', 'alert', 'notice', 'box', 'info_box', 'infobox', 'aside', 'banner', ...kinds],
  names: {
    content: [...textNames, 'body', 'blocks', 'items', 'message'],
    title: ['title', 'heading', 'label', 'header'],
    kind: ['kind', 'variant', 'style', 'severity', 'tone', 'level', 'callout_type', 'calloutType'],
    icon: ['icon', 'emoji'],
  },
  description: 'A box that is set apart: a group with the class `is-callout`, for the theme to style.',
  example: {
    kind: 'warning',
    title: 'Mind the tide',
    content: [{ type: 'paragraph', content: 'It comes in faster than you walk.' }],
  },
  shape: ({ inlines, block }) => ({
    kind: z
      .string()
      .optional()
      .describe('`note`, `tip`, `warning` …: a class of the box, `is-callout-warning`.'),
    title: inlines.optional().describe('Shown in bold above the rest.'),
    content: z.array(block).describe('The blocks in it.'),
  }),
  read: ({ content, title, kind, icon }, reading, type) => {
    const name = kinds.includes(type) ? type : typeof kind === 'string' ? kind.toLowerCase() : ''
    const sign = typeof icon === 'string' && /^\p{Extended_Pictographic}/u.test(icon) ? [`${icon} `] : []
    const children = title === undefined ? [] : reading.inlines(title)
    const inside = reading.nested(() => reading.blocks(content))
    const head = reading.inlines(sign)
    if (children.length > 0) head.push({ type: 'bold', children })
    const blocks: Block[] = head.length > 0 ? [{ type: 'paragraph', content: head }, ...inside] : inside
    if (blocks.length === 0) return []
    return [{ type: 'callout', ...(isName.test(name) ? { kind: name } : {}), content: blocks }]
  },
  render: {
    block: ({ kind, content }, context) => {
      const inside = context.blocks(content)
      if (inside === '') return ''
      const className = classes(kind)
      return blockMarkup('group', { className }, `<div class="wp-block-group ${className}">${inside}</div>`)
    },
    classic: ({ kind, content }, context) => {
      const inside = context.blocks(content)
      return inside === '' ? '' : `<div class="${classes(kind)}">${inside}</div>`
    },
  },
  parts: ({ content }) => content,
}

const isName = /^[a-z][a-z0-9]{0,19}$/

const classes = (kind: string | undefined): string =>
  kind === undefined ? 'is-callout' : `is-callout is-callout-${kind}`
