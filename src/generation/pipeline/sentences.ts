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

/** Code units behind a place, which tell whether a sentence begins there. */
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

/** After these a clause ends, and a reader breathes. A number is not cut at its comma, nor an hour at its colon. */
const CLAUSE_END = /[,;:)\]»”–—]\p{M}*\s+|[、，；：」』،؛—]\p{M}*\s*|\n+/gu

/** Words end at white space; where a script has none, nearly anywhere. */
const WORD_END = /\s+/gu

/**
 * Cuts a text at sentences, else clauses, words or graphemes, into pieces of at most `limit` code units. What finds sentences
 * takes the square of that on some texts: 2,000 take some 30 ms.
 */
export function* splitText(text: string, limit: number, language: string): Generator<string, void> {
  let from = 0
  while (text.length - from > limit) {
    const end = pieceEnd(text, from, limit, language)
    yield text.slice(from, end)
    from = end
  }
  if (from < text.length) yield text.slice(from)
}

function pieceEnd(text: string, from: number, limit: number, language: string): number {
  const window = text.slice(from, from + limit + LOOKAHEAD)
  const length =
    lastSentence(window, limit, language) ??
    lastAfter(CLAUSE_END, window, limit) ??
    lastAfter(WORD_END, window, limit) ??
    lastCharacter(window, limit)
  return from + length
}

/** The last place of at most `limit` at which a sentence begins. */
function lastSentence(window: string, limit: number, language: string): number | undefined {
  const primary = language.split('-')[0]?.toLowerCase() ?? 'en'
  return sentenceStarts(window, primary).findLast((start) => start <= limit && isWhole(window, start))
}

function lastAfter(pattern: RegExp, window: string, limit: number): number | undefined {
  let last: number | undefined
  for (const { index, 0: match } of window.matchAll(pattern)) {
    const end = index + match.length
    if (end > limit) break
    if (isWhole(window, end)) last = end
  }
  return last
}

/** The last end of a character as readers see it; of a code point, where a single character is longer than the limit. */
function lastCharacter(window: string, limit: number): number {
  let last = 0
  for (const { index } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(window)) {
    if (index > limit) break
    last = index
  }
  if (last > 0) return last
  return isPair(window, limit) && limit > 1 ? limit - 1 : limit
}

function isWhole(text: string, at: number): boolean {
  return !isPair(text, at) && !/^[\p{M}\u200D]/u.test(text.slice(at, at + 2))
}

const isPair = (text: string, at: number) =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1))
