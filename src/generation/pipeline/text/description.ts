import { characters, cleanLine, cutAtWord } from './clean.ts'

/** Characters of a description: what search engines show of it. */
const SHORTEST = 50
const LONGEST = 160

/** A description of 50 to 160 characters: what was written, made longer by the beginning of the text where it is too short. */
export function descriptionOf(written: string, text: string): string {
  const own = cleanLine(written)
  const all = characters(own) >= SHORTEST ? own : cleanLine(`${own} ${text}`)
  return cutAtSentence(all)
}

/** At the end of a sentence where that leaves enough. */
function cutAtSentence(text: string): string {
  if (characters(text) <= LONGEST) return text
  const fits = [...text].slice(0, LONGEST).join('')
  const end = Math.max(...['. ', '! ', '? ', '。', '！', '？'].map((mark) => fits.lastIndexOf(mark))) + 1
  const sentences = fits.slice(0, end)
  return characters(sentences) >= SHORTEST ? sentences : cutAtWord(text, LONGEST)
}
