import { type ChangeObject, diffLines, diffWordsWithSpace } from 'diff'

export interface Part {
  text: string
  kind: 'same' | 'ours' | 'theirs'
}

/** Milliseconds after which whole lines are compared, and not words: texts without a word in common take for ever. */
const MOST_MS = 1_000

/** Characters of what is the same before and after a difference; what lies further away is left out. */
const AROUND = 300

/** Where two texts differ: what only Galley's has, what only theirs has, and some of what both have around it. */
export function compare(ours: string, theirs: string): Part[] {
  const parts = diffWordsWithSpace(ours, theirs, { timeout: MOST_MS }) ?? diffLines(ours, theirs)
  return parts.map((part, index) => {
    const kind = kindOf(part)
    return {
      kind,
      text: kind === 'same' ? shortened(part.value, index > 0, index < parts.length - 1) : part.value,
    }
  })
}

const kindOf = ({ added, removed }: ChangeObject<string>): Part['kind'] =>
  added ? 'theirs' : removed ? 'ours' : 'same'

/** @param before whether there is a difference before it. @param after whether there is one after it */
function shortened(text: string, before: boolean, after: boolean): string {
  const [head, tail] = [before ? AROUND : 0, after ? AROUND : 0]
  if (text.length <= head + tail + AROUND) return text
  return `${text.slice(0, head)} … ${tail === 0 ? '' : text.slice(-tail)}`
}
