import type { Block } from '../../../contract/generation/results.ts'
import { lengthOf, lengthOfText, type Unit } from './count.ts'
import { textOf } from './words.ts'

/** Most of a text that may be one keyword: what is above reads as if it was written for machines. */
const DENSEST = 0.03
/** So often it may stand in any text, however short. */
const ALWAYS = 3

const comparable = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

/** Scripts whose words begin where no letter stands before them; elsewhere articles and prefixes are joined to them. */
const alphabetic = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u
const wordEnd = /[\p{L}\p{N}]$/u

/** How often a keyword stands in a text, with endings of any kind. */
export const occurrences = (text: string, keyword: string): number => timesIn(comparable(text), keyword)

function timesIn(all: string, keyword: string): number {
  const sought = comparable(keyword)
  if (sought === '') return 0
  let times = 0
  for (let at = all.indexOf(sought); at !== -1; at = all.indexOf(sought, at + sought.length))
    if (!alphabetic.test(sought) || !wordEnd.test(all.slice(Math.max(0, at - 2), at))) times += 1
  return times
}

/** Those that the text does not have. */
export function missingIn(text: string, keywords: readonly string[]): string[] {
  const all = keywords.length > 0 ? comparable(text) : ''
  return keywords.filter((keyword) => comparable(keyword) !== '' && timesIn(all, keyword) === 0)
}

/** How often a keyword may stand in a text of this length. */
export const mostOf = (keyword: string, length: number, unit: Unit): number =>
  Math.max(ALWAYS, Math.floor((DENSEST * length) / Math.max(1, lengthOfText(keyword, unit))))

/** Those that stand in the text too often. */
export function overusedKeywords(
  blocks: readonly Block[],
  unit: Unit,
  keywords: readonly string[],
): string[] {
  if (keywords.length === 0) return []
  const all = comparable(textOf(blocks))
  const length = lengthOf(blocks, unit)
  return keywords.filter((keyword) => {
    const times = timesIn(all, keyword)
    return times > ALWAYS && times > mostOf(keyword, length, unit)
  })
}
