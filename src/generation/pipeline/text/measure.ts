import { count } from '@wordpress/wordcount'
import { textsOf } from '../../../blocks/document.ts'
import { Reading } from '../../../blocks/read.ts'
import { inlineText } from '../../../blocks/wire.ts'
import type { WireBlock } from '../../../contract/generation/results.ts'
import { renderSettingsSchema } from '../../../render/options.ts'
import { renderDocument } from '../../../render/render.ts'

/** What is counted: words, or characters where a language has no spaces between words. */
export type LengthUnit = 'words' | 'characters'

/** Scripts that are written without spaces between words. Korean has them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu
const letters = /\p{L}/gu

/** Of these letters so many must be of such a script: a name or a term amid another language is no text of it. */
const UNSPACED_SHARE = 0.3

/** What WordPress counts: characters in Chinese and Japanese, words in nearly all other languages. */
export function lengthUnit(text: string): LengthUnit {
  const all = text.match(letters)?.length ?? 0
  return all > 0 && (text.match(unspaced)?.length ?? 0) / all > UNSPACED_SHARE ? 'characters' : 'words'
}

const settings = renderSettingsSchema.parse({})

/** How much there is of a text, as the block editor counts the post that becomes of it: headings, but not the title. */
export function countBlocks(written: readonly WireBlock[], unit: LengthUnit): number {
  const document = { title: '', blocks: new Reading().document(written) }
  const { markup } = renderDocument(document, { format: 'block', media: new Map(), settings })
  return count(markup, unit === 'words' ? 'words' : 'characters_including_spaces')
}

const countText = (text: string, unit: LengthUnit): number =>
  countBlocks([{ type: 'paragraph', content: [{ type: 'text', text }] }], unit)

/** A minute's reading: WordPress's "Time to Read" block takes 189 words; of characters people read some 500. */
const readingSpeed = { words: 189, characters: 500 }

/** `<n> min read`, at least one. */
export const readingTime = (length: number, unit: LengthUnit): string =>
  `${Math.max(1, Math.round(length / readingSpeed[unit]))} min read`

export const blocksText = (written: readonly WireBlock[]): string =>
  textsOf(new Reading().document(written)).map(inlineText).join('\n')

/** Most of a text that may be one keyword: what is above reads as if it was written for machines. */
const MAX_DENSITY = 0.03
/** So often it may stand in any text, however short. */
const ALWAYS_ALLOWED = 3

const foldText = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

/** Scripts whose words begin where no letter stands before them; elsewhere articles and prefixes are joined to them. */
const alphabetic = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u
const wordEnd = /[\p{L}\p{N}]$/u

/** @param keyword not empty, as the contract has it */
export const keywordOccurrences = (text: string, keyword: string): number =>
  countMatches(foldText(text), keyword)

function countMatches(all: string, keyword: string): number {
  const sought = foldText(keyword)
  let times = 0
  for (let at = all.indexOf(sought); at !== -1; at = all.indexOf(sought, at + sought.length))
    if (!alphabetic.test(sought) || !wordEnd.test(all.slice(Math.max(0, at - 2), at))) times += 1
  return times
}

export function missingKeywords(text: string, keywords: readonly string[]): string[] {
  const all = foldText(text)
  return keywords.filter((keyword) => countMatches(all, keyword) === 0)
}

export const maxOccurrences = (keyword: string, length: number, unit: LengthUnit): number =>
  Math.max(ALWAYS_ALLOWED, Math.floor((MAX_DENSITY * length) / Math.max(1, countText(keyword, unit))))

export function overusedKeywords(
  blocks: readonly WireBlock[],
  unit: LengthUnit,
  keywords: readonly string[],
): string[] {
  if (keywords.length === 0) return []
  const all = foldText(blocksText(blocks))
  const length = countBlocks(blocks, unit)
  return keywords.filter((keyword) => {
    const times = countMatches(all, keyword)
    return times > ALWAYS_ALLOWED && times > maxOccurrences(keyword, length, unit)
  })
}
