import { z } from 'zod'
import type { RenderContext } from '../../render/context.ts'
import { blockMarkup, escapeAttribute } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Block, Inline } from '../index.ts'
import { externalLinkAttributes, safeTarget } from '../inlines/link.ts'
import type { Reading } from '../read.ts'
import { addressOf, firstMember, isWireObject, listOf, plainText, type WireObject } from '../wire.ts'

export interface Buttons {
  type: 'buttons'
  buttons: { content: Inline[]; href: string }[]
}

const labelNames = ['button_text', 'buttonText', 'button_label', 'buttonLabel', 'cta_text', 'label'] as const
const urlNames = ['url', 'href', 'link', 'button_url', 'buttonUrl'] as const

export const buttons: BlockDefinition<Buttons, 'buttons' | 'title' | 'text' | 'label' | 'url'> = {
  type: 'buttons',
  aliases: ['button', 'cta', 'call_to_action', 'button_group', 'link_button'],
  names: {
    buttons: ['buttons', 'button', 'actions', 'action', 'items'],
    title: ['title', 'heading', 'headline'],
    text: ['text', 'content', 'description', 'body', 'value', 'children'],
    label: labelNames,
    url: urlNames,
  },
  description: 'Links that look like buttons. A title and a text beside them stand above.',
  example: { buttons: [{ text: 'See the tide tables', url: 'https://example.com/tides' }] },
  shape: () => ({
    buttons: z
      .array(
        z
          .looseObject({
            text: z.string().describe('The label of the button.'),
            url: z.string().describe('The address that it opens.'),
          })
          .meta({
            id: 'Button',
            description: 'A link that looks like a button.',
            examples: [{ text: 'See the tide tables', url: 'https://example.com/tides' }],
          }),
      )
      .describe('The links.'),
  }),
  read: ({ buttons: written, title, text, label, url }, reading) => {
    const all = listOf(written).filter(isWireObject)
    const isOne = all.length === 0
    // A lone button has its words under any name of text.
    const [words, above] =
      isOne && label === undefined
        ? [text ?? title, text === undefined ? [] : [title]]
        : [label, [title, text]]
    const read = (isOne ? [{ text: words, url }] : all).flatMap((one) => readButton(one, reading))
    const head = above.flatMap((part, index): Block[] =>
      index === 0 && part !== undefined
        ? [{ type: 'paragraph', content: [{ type: 'bold', children: reading.inlines(part) }] }]
        : reading.blocks(part),
    )
    return [...head, ...read.filter((block) => !('href' in block)), ...row(read)] as Block[]
  },
  render: {
    block: (node, context) => {
      const all = node.buttons.flatMap((button) => {
        const anchor = anchorOf(button, context, ' class="wp-block-button__link wp-element-button"')
        return anchor === '' ? [] : blockMarkup('button', {}, `<div class="wp-block-button">${anchor}</div>`)
      })
      if (all.length === 0) return ''
      return blockMarkup('buttons', {}, `<div class="wp-block-buttons">${all.join('\n\n')}</div>`)
    },
    classic: (node, context) => {
      const all = node.buttons
        .map((button) => anchorOf(button, context, ''))
        .filter((anchor) => anchor !== '')
      return all.length === 0 ? '' : `<p>${all.join(' ')}</p>`
    },
  },
  parts: (node) => node.buttons.map(({ content }) => content),
}

type Button = Buttons['buttons'][number]

/** A button, or the words of one that leads nowhere. */
function readButton(wire: WireObject, reading: Reading): (Button | Block)[] {
  const words = plainText(
    firstMember(wire, ['text', ...labelNames, 'title', 'content', 'value', 'name']),
  ).trim()
  const href = addressOf(firstMember(wire, urlNames))
  if (href !== undefined)
    return [{ content: [{ type: 'text', text: words || href }], href: reading.link('url', href) }]
  if (words === '') return []
  reading.warn('link_without_target', `the button “${words}” has no address; its text is kept`)
  return [{ type: 'paragraph', content: [{ type: 'text', text: words }] }]
}

const row = (read: readonly (Button | Block)[]): Buttons[] => {
  const all = read.filter((one): one is Button => 'href' in one)
  return all.length > 0 ? [{ type: 'buttons', buttons: all }] : []
}

/** A button as a link, which leads nowhere where its address is unsafe. @param attributes of the element */
function anchorOf({ content, href }: Button, context: RenderContext, attributes: string): string {
  const html = context.inlines(content)
  const target = safeTarget({ href })
  if (target === undefined)
    context.warn(
      'link_unsafe',
      `The button “${html}” lost its address, which WordPress would not let through.`,
    )
  if (html === '') return ''
  const to =
    target === undefined ? '' : ` href="${escapeAttribute(target)}"${externalLinkAttributes(href, context)}`
  return `<a${attributes}${to}>${html}</a>`
}
