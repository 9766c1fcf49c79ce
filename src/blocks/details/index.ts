import { z } from 'zod'
import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Block, Inline } from '../index.ts'
import { paragraphMarkup } from '../paragraph/index.ts'
import { isWireObject } from '../wire.ts'

export interface Details {
  type: 'details'
  summary: Inline[]
  content: Block[]
  isOpen: boolean
}

export const details: BlockDefinition<Details, 'summary' | 'content' | 'items' | 'title' | 'open'> = {
  type: 'details',
  aliases: [
    ...['toggle', 'spoiler', 'collapsible', 'collapse', 'expandable', 'disclosure'],
    ...['accordion', 'accordion_item', 'faq', 'faqs', 'faq_item', 'question'],
  ],
  names: {
    summary: ['summary', 'question', 'q', 'title', 'label', 'heading', 'header', 'name', 'text'],
    content: 'content answer acceptedAnswer answers a body blocks children value text'.split(' '),
    items: ['items', 'questions', 'faqs', 'mainEntity', 'entries', 'panels', 'sections'],
    title: ['title', 'heading', 'label'],
    open: ['open', 'expanded'],
  },
  description:
    'A question whose answer a click shows. `faq` and `accordion` have several, under `items`: each becomes one of these.',
  example: {
    summary: 'Why twice a day?',
    content: [{ type: 'paragraph', content: 'The earth turns under two bulges.' }],
  },
  shape: ({ inlines, block }) => ({
    summary: inlines,
    content: z.array(block).describe('Blocks that a click shows.'),
    open: z.boolean().optional().describe('Whether they are shown from the start.'),
  }),
  read: ({ summary, content, items, title, open }, reading) => {
    const entriesOf = isWireObject(items)
      ? Object.entries(items).map(([summary, content]) => ({ summary, content }))
      : items
    if (Array.isArray(entriesOf)) {
      const head = title === undefined ? [] : reading.block({ type: 'heading', level: 2, text: title })
      const entries = reading.nested(() =>
        entriesOf.flatMap((item) =>
          isWireObject(item) ? reading.block({ ...item, type: 'details' }) : reading.blocks(item),
        ),
      )
      return [...head, ...entries]
    }
    const inside = reading.nested(() => reading.blocks(content === summary ? undefined : content))
    const question = reading.inlines(summary)
    if (question.length === 0) return inside
    return [{ type: 'details', summary: question, content: inside, isOpen: open === true }]
  },
  render: {
    /** Before WordPress 6.3 the editor has no such block: the question stands in bold above its answer. */
    block: ({ summary, content, isOpen }, context) => {
      const [question, answer] = [context.inlines(summary), context.blocks(content)]
      if (!context.isAtLeast(6, 3) || question === '')
        return [paragraphMarkup.block(question && `<strong>${question}</strong>`), answer]
          .filter((part) => part !== '')
          .join('\n\n')
      const html = element(isOpen, question, answer, ' class="wp-block-details"')
      return blockMarkup('details', { showContent: isOpen || undefined }, html)
    },
    classic: ({ summary, content, isOpen }, context) => {
      const [question, answer] = [context.inlines(summary), context.blocks(content)]
      return question === '' ? answer : element(isOpen, question, answer)
    },
  },
  parts: ({ summary, content }) => [summary, ...content],
}

const element = (isOpen: boolean, question: string, answer: string, attributes = ''): string =>
  `<details${attributes}${isOpen ? ' open' : ''}><summary>${question}</summary>${answer}</details>`
