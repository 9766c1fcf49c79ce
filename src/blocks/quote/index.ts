import { z } from 'zod'
import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Block, Inline } from '../index.ts'
import type { Reading } from '../read.ts'
import { isAddress, plainText, textNames } from '../wire.ts'

export interface Quote {
  type: 'quote'
  content: Block[]
  citation?: Inline[]
}

/** Who said it, and where. */
export const citationNames = {
  citation: ['citation', 'cite', 'author', 'attribution', 'by', 'speaker'],
  source: ['source'],
}

export const quote: BlockDefinition<Quote, 'content' | 'paragraphs' | 'citation' | 'source'> = {
  type: 'quote',
  aliases: ['blockquote', 'block_quote', 'quotation'],
  names: {
    content: [...textNames, 'quote', 'body'],
    paragraphs: ['paragraphs'],
    ...citationNames,
  },
  description: 'A quotation.',
  example: { value: 'Time and tide wait for no man.', citation: 'A proverb' },
  shape: ({ inlines, block }) => ({
    value: z
      .union([inlines, z.array(block)])
      .describe('Text, in which a blank line begins another paragraph; or blocks.'),
    citation: inlines.optional().describe('Who said it, or where.'),
  }),
  read: (members, reading) => {
    const { paragraphs } = members
    const content = reading.nested(() =>
      Array.isArray(paragraphs) && paragraphs.length > 0
        ? paragraphs.flatMap((paragraph) => reading.blocks(paragraph))
        : reading.blocks(members.content),
    )
    const citation = readCitation(members.citation, members.source, reading)
    return [{ type: 'quote', content, ...(citation.length > 0 ? { citation } : {}) }]
  },
  render: {
    block: ({ content, citation = [] }, context) => {
      const source = context.inlines(citation)
      const inside = context.blocks(content) + (source === '' ? '' : `<cite>${source}</cite>`)
      if (inside === '') return ''
      return blockMarkup('quote', {}, `<blockquote class="wp-block-quote">${inside}</blockquote>`)
    },
    classic: ({ content, citation = [] }, context) => {
      const source = context.inlines(citation)
      const inside = context.blocks(content) + (source === '' ? '' : `<p><cite>${source}</cite></p>`)
      return inside === '' ? '' : `<blockquote>${inside}</blockquote>`
    },
  },
  parts: ({ content, citation }) => [...content, ...(citation ? [citation] : [])],
}

/** Who said it and where; an address beside a name becomes its link. */
export function readCitation(name: unknown, source: unknown, reading: Reading): Inline[] {
  const who = reading.inlines(name)
  const words = plainText(source).trim()
  if (words === '' || plainText(name).trim() === words) return who
  if (who.length === 0) return reading.inlines(source)
  return isAddress(words)
    ? [{ type: 'link', href: reading.link('source', words), children: who }]
    : [...who, { type: 'text', text: ', ' }, ...reading.inlines(source)]
}
