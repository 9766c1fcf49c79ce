import { type Document, partsOf } from '../../../src/blocks/document.ts'
import type { Block, Inline } from '../../../src/blocks/index.ts'
import { safeTarget } from '../../../src/blocks/inlines/link.ts'
import { safeFileUrl } from '../../../src/render/escape.ts'

/** Around the number of a note: behind the words of a link, as a link holds no other. */
const MARK = '\0'
const numbers = /\0\d+\0/g

/** The words that a reader should see of a document's text, its notes last, read from the tree and from nothing else. */
export function documentWords({ blocks }: Document): string[] {
  const notes: Inline[][] = []
  const texts = textsIn(blocks, notes)
  for (const note of notes) texts.push(readableText(note, []), '↩\ufe0e')
  return texts.flatMap((text) => text.replaceAll(MARK, '').split(/\s+/u)).filter((word) => word !== '')
}

/** What each part says; an embed is its address in the markup, which the site shows as a player. */
const textsIn = (blocks: readonly Block[], notes: Inline[][]): string[] =>
  blocks.flatMap((block) => [
    ...(block.type === 'embed' ? [safeFileUrl(block.url) ?? ''] : []),
    ...partsOf(block).flatMap((part) =>
      Array.isArray(part) ? [readableText(part, notes)] : textsIn([part], notes),
    ),
  ])

const readableText = (content: readonly Inline[], notes: Inline[][]): string =>
  content
    .map((inline) => {
      if (inline.type === 'footnote') return numberOf(inline.note, notes)
      if (inline.type === 'math') return readable(inline.latex)
      if (!('children' in inline))
        return inline.type === 'text' ? readable(inline.text) : inline.type === 'break' ? '\n' : ''
      const text = readableText(inline.children, notes)
      const isLink = inline.type === 'link' && safeTarget(inline) !== undefined
      return isLink ? text.replace(numbers, '') + (text.match(numbers) ?? []).join('') : text
    })
    .join('')

function numberOf(note: Inline[], notes: Inline[][]): string {
  if (!notes.includes(note)) notes.push(note)
  return `${MARK}${notes.indexOf(note) + 1}${MARK}`
}

/** What no reader sees, no feed can hold, or the editor takes out of every text, is not part of the text. */
export const readable = (text: string): string =>
  text.replace(/\ufeff|\ufffc|(?!\s)\p{Cc}/gu, '').replace(/[\p{Surrogate}\ufffe\uffff]/gu, '\ufffd')
