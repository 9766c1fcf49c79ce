/** Translations by the English of the server, with the same `{names}` in both for what is filled in. */
export type Sentences = Record<string, string>

interface Template {
  pattern: RegExp
  /** Whether it begins with what is filled in, and so with anything. */
  isOpen: boolean
  /** Its longest fixed part: a quick test before the pattern. */
  fixed: string
  names: string[]
  translation: string
}

/** What is filled in, by its name. */
const FILLED_IN = /\{([^{}]*)\}/

/** Members of an answer in which the server speaks to a person. */
const spoken = new Set(['message', 'sentence', 'todo', 'seen', 'means'])

/** Translations that are kept, for answers that come again and again. */
const MAX_REMEMBERED = 1_000

/** Parts of a text that are looked at together. */
const MAX_PARTS = 20

/**
 * Translates what the server says. The API speaks English, for programs. Its sentences are found in the catalogue by their fixed parts;
 * what the catalogue does not have stays English.
 */
export function sentenceTranslator(catalogue: Sentences): (text: string) => string {
  const templates = Object.entries(catalogue)
    .map(templateOf)
    .sort((one, other) => Number(one.isOpen) - Number(other.isOpen) || other.fixed.length - one.fixed.length)
  const remembered = new Map<string, string>()

  function translate(text: string): string {
    const earlier = remembered.get(text)
    if (earlier !== undefined) return earlier
    const translated = partOf(text) ?? inParts(text)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(text, translated)
    return translated
  }

  function asOne(text: string): string | undefined {
    for (const { pattern, fixed, names, translation } of templates) {
      const values = text.includes(fixed) ? pattern.exec(text)?.slice(1) : undefined
      if (values === undefined) continue
      const left = names.map((name, place) => ({ name, value: values[place] ?? '' }))
      return translation.replaceAll(new RegExp(FILLED_IN, 'g'), (_all, name) => {
        const place = left.findIndex((one) => one.name === name)
        return left
          .splice(place, 1)
          .map(({ value }) => translate(value))
          .join('')
      })
    }
    return undefined
  }

  /** As many sentences or clauses as one entry covers, then the rest. */
  function inParts(text: string): string {
    const ends = [...text.matchAll(/[.!?”);:] (?=\S)/g)].map(({ index }) => index + 1).slice(0, MAX_PARTS)
    const [end = text.length] = ends
    let [begins, left] = [text.slice(0, end), text.slice(end + 1)]
    for (const end of ends) {
      const first = partOf(text.slice(0, end))
      if (first === undefined) continue
      ;[begins, left] = [first, text.slice(end + 1)]
      const rest = partOf(left)
      if (rest !== undefined) return `${first} ${rest}`
    }
    return left === '' ? begins : `${begins} ${translate(left)}`
  }

  /** A sentence, or a clause with its colon, semicolon or full stop. */
  function partOf(text: string): string | undefined {
    const clause = /[;:]$/.test(text) ? undefined : asOne(text)
    if (clause !== undefined || !/[;:.]$/.test(text)) return clause
    const bare = asOne(text.slice(0, -1))
    return bare === undefined ? undefined : bare + text.slice(-1)
  }

  return translate
}

/** What is filled in within a sentence: not another sentence, but in quotes, nor what was found instead. */
const WITHIN = '((?:“[^”]*”|(?![.!?] |; got )[^])*?)'

/** What is filled in behind a colon or a sentence may be several sentences. */
const SENTENCES = '([^]*)'

/** A number, and what is counted: `1,234 sites`. */
const NUMBER = '(\\d[\\d,]*)'
const COUNTED = '(\\d[\\d,]* [a-z ]+)'

/** `: “…”` or ` (…)`, or nothing: what a site said, which stands at the end of a sentence. */
const CLAUSE = '((?:: “[^”]*”| \\([^()]*\\))?)'

function templateOf([english, translation]: [string, string]): Template {
  const parts = english.split(new RegExp(FILLED_IN, 'g'))
  const pattern = parts.map((part, place) => {
    if (place % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    if (part.endsWith('Clause')) return CLAUSE
    if (part === 'number') return NUMBER
    if (part === 'pluralize') return COUNTED
    const isLast = place === parts.length - 2 && parts[place + 1] === ''
    return isLast && /[.:] $/.test(parts[place - 1] ?? '') ? SENTENCES : WITHIN
  })
  const fixed = parts.filter((_, place) => place % 2 === 0)
  return {
    isOpen: fixed[0] === '',
    pattern: new RegExp(`^${pattern.join('')}$`),
    fixed: fixed.reduce((longest, part) => (part.length > longest.length ? part : longest)),
    names: parts.filter((_, place) => place % 2 === 1),
    translation,
  }
}

/** An answer of the API with its sentences translated. The `body` of an event is what somebody sent, and stays. */
export function translateAnswer(value: unknown, translate: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((entry) => translateAnswer(entry, translate))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (spoken.has(name) && typeof member === 'string') return [name, translate(member)]
      return [name, name === 'body' ? member : translateAnswer(member, translate)]
    }),
  )
}
