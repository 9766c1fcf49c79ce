import { decodeHTML } from 'entities'

/** Letters and digits alone: quotes, dashes and entities are written in many ways, and plugins write titles in capitals. */
const wordsOf = (title: string): string =>
  (decodeHTML(title).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').toLowerCase()

/** Whether two titles say the same, however they are written. */
export const isSameTitle = (stored: string, given: string): boolean =>
  stored.trim() === given.trim() || (wordsOf(given) !== '' && wordsOf(stored) === wordsOf(given))

/** Whether a site may have made this title of that: a plugin puts words before or behind it. */
export const isTitleOf = (stored: string, given: string): boolean =>
  isSameTitle(stored, given) || (wordsOf(given).length >= LEAST && isWithin(wordsOf(stored), wordsOf(given)))

const isWithin = (longer: string, shorter: string): boolean =>
  longer.length <= shorter.length + MOST_ADDED && ` ${longer} `.includes(` ${shorter} `)

/** Shorter ones stand in many others. */
const LEAST = 8

/** Characters that a plugin may add. A site may answer a title of megabytes, and a search in it takes as often the other's length. */
const MOST_ADDED = 1_000
