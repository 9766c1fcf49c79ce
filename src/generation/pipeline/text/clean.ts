/** Control characters but the line break, halves of characters, what is none, and marks that turn the reading order over. */
const never = /(?!\n)\p{Cc}|[\p{Surrogate}\ufeff\ufffc\ufffe\uffff\u202a-\u202e]/gu

/** Text of a model as it can be stored and shown, line breaks kept. */
export const cleanText = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replaceAll('\t', '  ').replace(never, '').normalize('NFC')

/** The same in one line. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim()

/** Characters as people count them, and WordPress does: those beyond the first plane are one. */
export const characters = (text: string): number => [...text].length

/** At most so many characters, cut after a word, with `…` where there is more. */
export function cutAtWord(text: string, most: number): string {
  const all = [...text]
  if (all.length <= most) return text
  const cut = all.slice(0, most - 1).join('')
  const space = cut.lastIndexOf(' ')
  const words = space > cut.length / 2 ? cut.slice(0, space) : cut
  return `${words.replace(/[\s,;:–—-]$/u, '')}…`
}
