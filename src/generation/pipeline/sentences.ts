import segment from 'sentencex'

/** Where sentences begin in a text that is cut out of another, but for its beginning: that may be within one. */
export function sentenceStarts(text: string, language: string): number[] {
  const starts: number[] = []
  let from = 0
  // What it returns is the text again, but for a space at the ends of each.
  for (const sentence of segment(language, text)) {
    if (!/\S/u.test(sentence)) continue
    const at = text.indexOf(sentence.trim(), from)
    if (at === -1) continue
    if (from > 0) starts.push(at)
    from = at + sentence.trim().length
  }
  return starts
}

/** Languages whose abbreviations are looked out for in a text of which nobody says what language it is in. */
const languages = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt', 'pl'] as const

/** Code units that are searched at once: what finds sentences takes the square of that, and more, on some texts. */
const WINDOW_LENGTH = 500

/** Code units behind them, which tell whether a sentence begins at their end. */
const LOOKAHEAD = 80

/** Sentence starts in a text of unknown language: no known abbreviation ends a sentence. Latin only. */
export function languageIndependentStarts(text: string): number[] {
  const all: number[] = []
  for (let from = 0; from < text.length; ) {
    const begin = from
    const starts = startsIn(text.slice(begin, begin + WINDOW_LENGTH + LOOKAHEAD)).filter(
      (start) => start <= WINDOW_LENGTH,
    )
    for (const start of starts) all.push(begin + start)
    // The next begins with a sentence, where that takes it far enough.
    const last = starts.at(-1) ?? 0
    from += last > WINDOW_LENGTH / 2 ? last : WINDOW_LENGTH
  }
  return all
}

function startsIn(text: string): number[] {
  const [first = [], ...others] = languages.map((language) => sentenceStarts(text, language))
  return first.filter(
    (start) => !beginsLatin(text.slice(start)) || others.every((starts) => starts.includes(start)),
  )
}

const letter = /\p{L}/u
const beginsLatin = (text: string): boolean => /\p{Script=Latin}/u.test(letter.exec(text)?.[0] ?? '')
