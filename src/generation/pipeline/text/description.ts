import { surestStarts } from '../sentences.ts'
import { characters, cleanLine, cutAtWord } from './clean.ts'

/** Characters of a description: what search engines show of it. */
const SHORTEST = 50
const LONGEST = 160

/** A description of 50 to 160 characters: what was written, made longer by the beginning of the text where it is too short. */
export function descriptionOf(written: string, text: string): string {
  const own = cleanLine(written)
  const all = characters(own) >= SHORTEST ? own : cleanLine(`${ended(own)} ${text}`)
  return cutAtSentence(all)
}

/** With the mark that parts it from what follows. */
const ended = (line: string): string =>
  /[\p{L}\p{M}\p{N})\]%]$/u.test(line) ? `${line}${unspacedEnd.test(line) ? '。' : '.'}` : line

const unspacedEnd = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u

/** Characters behind the longest one, which say whether a sentence has ended there. */
const AHEAD = 40

/** At the end of a sentence where that leaves enough. */
function cutAtSentence(text: string): string {
  const all = [...text]
  if (all.length <= LONGEST) return text
  const ends = surestStarts(all.slice(0, LONGEST + AHEAD).join('')).map((start) =>
    text.slice(0, start).trimEnd(),
  )
  const sentences = ends.findLast((one) => characters(one) <= LONGEST)
  return sentences !== undefined && characters(sentences) >= SHORTEST ? sentences : cutAtWord(text, LONGEST)
}
