/** Translations by the English of the server, with the same `{names}` in both for what is filled in. */
export type Sentences = Readonly<Record<string, string>>

/** Languages of the pages for owners and of mails. */
export const languageCodes = ['en', 'de'] as const

export type LanguageCode = (typeof languageCodes)[number]

export interface Language {
  /** Of dates, too. */
  code: string
  /** Templates and sentences of the server, by their English. */
  catalogue: Sentences
  /** What the server said. */
  translate(text: string): string
  /** A template with its `{names}` filled in; what is filled in stays as it is. */
  format(template: string, values?: Readonly<Record<string, string>>): string
}

export const createLanguage = (
  code: string,
  catalogue: Sentences,
  translate = sentenceTranslator(catalogue),
): Language => ({
  ...{ code, catalogue, translate },
  format: (template, values = {}) =>
    (catalogue[template] ?? template).replaceAll(FILLED_IN, (_all, name) => values[name] ?? ''),
})

export const english = createLanguage('en-GB', {}, (text) => text)

interface Template {
  /** What is fixed and the names of what is filled in, by turns. */
  parts: string[]
  /** Whether it begins with what is filled in, and so with anything. */
  isOpen: boolean
  /** Its longest fixed part: a quick test before the others. */
  longest: string
  translation: string
}

/** What is filled in, by its name. */
const FILLED_IN = /\{([^{}]*)\}/g

/** Translations that are kept, for answers that come again and again. */
const MAX_REMEMBERED = 1_000

/** Parts of a text that are looked at together. */
const MAX_PARTS = 20

/** How often the catalogue is gone through for a text, and places at which its templates are tried: sites write some of the texts. */
const MAX_LOOKS = 150
const MAX_TRIES = 5_000

/** Translates what the server says: sentences are found by their fixed parts; what the catalogue does not have stays English. */
export function sentenceTranslator(catalogue: Sentences): (text: string) => string {
  const templates = Object.entries(catalogue)
    // What has numbers is HTML of the pages for owners.
    .filter(([english]) => !english.includes('{#'))
    .map(templateOf)
    .sort(
      (one, other) => Number(one.isOpen) - Number(other.isOpen) || other.longest.length - one.longest.length,
    )
  const remembered = new Map<string, string>()
  let spent = { looks: 0, tries: 0 }

  const translate = (text: string): string => partOf(text) ?? inParts(text)

  function asOne(text: string): string | undefined {
    spent.looks += 1
    if (spent.looks > MAX_LOOKS) return undefined
    for (const { parts, longest, translation } of templates) {
      const values = text.includes(longest) ? valuesIn(text, parts, spent) : undefined
      if (values === undefined) continue
      const left = values.map((value, place) => ({ name: parts[2 * place + 1], value }))
      return translation.replaceAll(FILLED_IN, (_all, name) => {
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

  return (text) => {
    const earlier = remembered.get(text)
    if (earlier !== undefined) return earlier
    spent = { looks: 0, tries: 0 }
    const translated = translate(text)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(text, translated)
    return translated
  }
}

/** What stands in a text for the names of a template, each as short as it can be; undefined where they do not fit. */
function valuesIn(text: string, parts: readonly string[], spent: { tries: number }): string[] | undefined {
  function from(at: number, place: number): string[] | undefined {
    const [before, name, after] = parts.slice(place, place + 3) as [string, string | undefined, string]
    if (name === undefined) return at === text.length ? [] : undefined
    const isLast = place + 3 === parts.length
    if (isLast && !text.endsWith(after)) return undefined
    let next = isLast ? text.length - after.length : text.indexOf(after, at)
    while (next >= at && spent.tries < MAX_TRIES) {
      spent.tries += 1
      const value = text.slice(at, next)
      const isWhole = isLast && after === '' && /[.:] $/.test(before)
      const rest = isWhole || canBe(name, value, after) ? from(next + after.length, place + 2) : undefined
      if (rest !== undefined) return [value, ...rest]
      next = isLast || next === text.length ? -1 : text.indexOf(after, next + 1)
    }
    return undefined
  }
  return text.startsWith(parts[0] as string) ? from((parts[0] as string).length, 0) : undefined
}

/** Whether a value is what its name promises: what a site said, a number, what is counted, or words within a sentence. */
function canBe(name: string, value: string, after: string): boolean {
  if (name.endsWith('Clause')) return /^(?:: “[^”]*”| \([^()]*\))?$/.test(value)
  if (name === 'number') return /^\d[\d,]*$/.test(value)
  if (name === 'pluralize') return /^\d[\d,]* [a-z ]+$/.test(value)
  // Not another sentence, but in quotes, nor what was found instead.
  return !/[.!?] |; got /.test(value.replaceAll(/“[^“”]*”/g, '') + after.charAt(0))
}

function templateOf([english, translation]: [string, string]): Template {
  const parts = english.split(FILLED_IN)
  const fixed = parts.filter((_, place) => place % 2 === 0)
  const longest = fixed.reduce((most, part) => (part.length > most.length ? part : most))
  return { parts, isOpen: fixed[0] === '', longest, translation }
}
