import { type Citations, cleanLine, cutAtWord, plainText } from './inlines.ts'

/** Characters of a title: search engines show some 60, and posts have been given longer ones. */
const MAX_TITLE_LENGTH = 150
/** Characters of a slug. */
const MAX_SLUG_LENGTH = 70

const quotes = /^["'“„«‘「](.+)["'”“»’」]$/u

/** A title in one line, without marks, the quotes around all of it and the full stop behind it. */
export const cleanTitle = (written: string, citations: Citations): string =>
  cutAtWord(
    cleanLine(plainText(written, citations))
      .replace(/^#+\s+/, '')
      .replace(/[.。]$/, '')
      .replace(quotes, '$1')
      .replace(/[.。\s]$/, ''),
    MAX_TITLE_LENGTH,
  )

/** Letters that no accent makes. */
const transliterations: Readonly<Record<string, string>> = {
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
export function slugify(title: string): string {
  const plain = title
    .toLowerCase()
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
    .normalize('NFC')
    .replace(/[ßæœøłđþð]/g, (letter) => transliterations[letter] ?? letter)
  const words = plain.replace(/['’]/g, '').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const kept: string[] = []
  let length = 0
  for (const word of words) {
    length += [...word].length + 1
    if (length > MAX_SLUG_LENGTH + 1 && kept.length > 0) break
    kept.push(word)
  }
  return [...kept.join('-')].slice(0, MAX_SLUG_LENGTH).join('')
}
