const segmenter = new Intl.Segmenter('en')

/** Takes two places: Chinese, Japanese, Korean, their wide punctuation, and emoji. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Takes none by itself. */
const nothing = /^(?:\p{M}|\u200c|\u200d)+$/u

const widthOf = (character: string): number => (nothing.test(character) ? 0 : wide.test(character) ? 2 : 1)

/** Places that a line of text takes in a terminal. */
export function width(text: string): number {
  let places = 0
  for (const { segment } of segmenter.segment(text)) places += widthOf(segment)
  return places
}

/** As much of a text as fits, with `…` where something is left out. Never half a character. */
export function cut(text: string, places: number): string {
  if (width(text) <= places) return text
  let taken = ''
  let left = places - 1
  for (const { segment } of segmenter.segment(text)) {
    left -= widthOf(segment)
    if (left < 0) break
    taken += segment
  }
  return `${taken}…`
}

/** Filled up with spaces. */
export const pad = (text: string, places: number): string =>
  text + ' '.repeat(Math.max(0, places - width(text)))
