import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Inline } from '../index.ts'
import { citationNames, readCitation } from '../quote/index.ts'
import { textNames } from '../wire.ts'

export interface Pullquote {
  type: 'pullquote'
  content: Inline[]
  citation?: Inline[]
}

export const pullquote: BlockDefinition<Pullquote, 'content' | 'citation' | 'source'> = {
  type: 'pullquote',
  aliases: ['pull_quote', 'highlighted_quote'],
  names: { content: [...textNames, 'quote'], ...citationNames },
  description: 'A sentence of the text, set apart to catch the eye.',
  example: { value: 'The second tide is the surprise.', citation: 'The harbour master' },
  shape: ({ inlines }) => ({
    value: inlines,
    citation: inlines.optional().describe('Who said it, or where.'),
  }),
  read: ({ content, citation, source }, reading) => {
    const who = readCitation(citation, source, reading)
    return [
      { type: 'pullquote', content: reading.inlines(content), ...(who.length > 0 ? { citation: who } : {}) },
    ]
  },
  render: {
    block: ({ content, citation = [] }, context) => {
      const [html, source] = [context.inlines(content), context.inlines(citation)]
      if (html + source === '') return ''
      const cite = source && `<cite>${source}</cite>`
      const inside = `<blockquote><p>${html}</p>${cite}</blockquote>`
      return blockMarkup('pullquote', {}, `<figure class="wp-block-pullquote">${inside}</figure>`)
    },
    classic: ({ content, citation = [] }, context) => {
      const [html, source] = [context.inlines(content), context.inlines(citation)]
      if (html + source === '') return ''
      return `<blockquote>${html && `<p>${html}</p>`}${source && `<p><cite>${source}</cite></p>`}</blockquote>`
    },
  },
  parts: ({ content, citation }) => [content, ...(citation ? [citation] : [])],
}
