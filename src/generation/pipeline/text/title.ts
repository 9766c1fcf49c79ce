import type { Citations } from './citations.ts'
import { cleanLine, cutAtWord } from './clean.ts'
import { plainOf } from './inlines.ts'

/** Characters of a title: search engines show some 60, and posts have been given longer ones. */
const LONGEST = 150
/** Characters of a slug. */
const LONGEST_SLUG = 70

const quotes = /^["'“„«‘「](.+)["'”“»’」]$/u

/** A title in one line, without marks, the quotes around all of it and the full stop behind it. */
export const titleOf = (written: string, citations: Citations): string =>
  cutAtWord(
    cleanLine(plainOf(written, citations))
      .replace(/^#+\s+/, '')
      .replace(/[.。]$/, '')
      .replace(quotes, '$1')
      .replace(/[.。\s]$/, ''),
    LONGEST,
  )

/** Letters that no accent makes. */
const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  þ: 'th',
  ð: 'd',
}

/** A title as the last part of an address: letters of any script, those of ours without accents. */
export function slugOf(title: string): string {
  const plain = title
    .toLowerCase()
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
    .normalize('NFC')
    .replace(/[ßæœøłđþð]/g, (letter) => spelled[letter] ?? letter)
  const words = plain.replace(/['’]/g, '').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const kept: string[] = []
  let length = 0
  for (const word of words) {
    length += [...word].length + 1
    if (length > LONGEST_SLUG + 1 && kept.length > 0) break
    kept.push(word)
  }
  return [...kept.join('-')].slice(0, LONGEST_SLUG).join('')
}
