import { count } from '@wordpress/wordcount'
import type { Block, Inline } from '../../../contract/generation/results.ts'

/** What is counted: words, or characters where a language has no spaces between words. */
export type Unit = 'words' | 'characters'

/** Scripts that are written without spaces between words. Korean has them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu
const letters = /\p{L}/gu

/** Of these letters so many must be of such a script: a name or a term amid another language is no text of it. */
const SHARE = 0.3

/**
 * What WordPress counts in a text of this language: its translations say `characters_including_spaces` for Chinese and
 * Japanese, and `words` for nearly all others.
 */
export function unitOf(text: string): Unit {
  const all = text.match(letters)?.length ?? 0
  return all > 0 && (text.match(unspaced)?.length ?? 0) / all > SHARE ? 'characters' : 'words'
}

/** How much there is of a text, as the block editor counts the post that becomes of it: headings, but not the title. */
export const lengthOf = (blocks: readonly Block[], unit: Unit): number =>
  count(blocks.map(markup).join('\n\n'), unit === 'words' ? 'words' : 'characters_including_spaces')

/** How much there is of a line of text. */
export const lengthOfText = (text: string, unit: Unit): number =>
  lengthOf([{ type: 'paragraph', content: [{ type: 'text', text }] }], unit)

/** A minute's reading: WordPress's "Time to Read" block takes 189 words; of characters people read some 500. */
const perMinute = { words: 189, characters: 500 }

/** `<n> min read`, at least one. */
export const readingTime = (length: number, unit: Unit): string =>
  `${Math.max(1, Math.round(length / perMinute[unit]))} min read`

/*
 * Tags part words for WordPress, and entities are taken out: so what is counted has them where the post has them. It is
 * nothing else than counted.
 */
function markup(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `<h2>${escaped(block.text)}</h2>`
    case 'paragraph':
      return `<p>${block.content.map(inline).join('')}</p>`
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escaped(item)}</li>`).join('\n')}</ul>`
    case 'table':
      return [block.headers, ...block.rows].map((row) => row.map(cell).join('')).join('')
    case 'code_block':
      return `<pre>${escaped(block.value)}</pre>`
    case 'quote':
      return `<p>${escaped(block.value)}</p>`
    case 'image':
      return ''
  }
}

const cell = (text: string): string => `<td>${escaped(text)}</td>`

const inline = (item: Inline): string =>
  item.type === 'text' ? escaped(item.text) : `<b>${escaped(item.text)}</b>`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\u00a0': '&nbsp;',
}
const escaped = (text: string): string => text.replace(/[&<>\u00a0]/g, (found) => entities[found] ?? found)
