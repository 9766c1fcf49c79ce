// Linear in the length of the text: a pattern such as `/\/+$/` takes time with the square of the number of slashes.

/** Without any of these characters at its end. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** Without any of these characters at either end. */
export function trimOf(text: string, characters: string): string {
  const rest = trimEndOf(text, characters)
  let start = 0
  while (start < rest.length && characters.includes(rest.charAt(start))) start += 1
  return rest.slice(start)
}

/** An address without the slashes at its end. */
export const withoutTrailingSlash = (url: string): string => trimEndOf(url, '/')

/** Markup with `instead` in the place of each tag; a `<` that no `>` follows stays. */
export function stripTags(markup: string, instead = ''): string {
  let text = ''
  let from = 0
  for (;;) {
    const open = markup.indexOf('<', from)
    const close = open === -1 ? -1 : markup.indexOf('>', open)
    if (close === -1) return text + markup.slice(from)
    text += markup.slice(from, open) + instead
    from = close + 1
  }
}

/** The text of a string or a number from outside; empty for anything else, of which `String` may throw. */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

/** A value of JSON as a text to compare: 3 and “3” are one. */
export const comparableText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/** At most so much of the beginning of a text, and no half of a character: strict readers of JSON refuse one. */
export const truncate = (text: string, length: number): string => {
  const cut = text.slice(0, length)
  return text.length > length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** At most so much of the end of a text, and no half of a character. */
export const ending = (text: string, length: number): string =>
  text.slice(-length).replace(/^[\udc00-\udfff]/, '')

/** The beginning of a text, with `…` where there is more. */
export const excerpt = (text: string, length: number): string =>
  text.length > length ? `${truncate(text, length)}…` : text

/** A whole number as English writes it: `60,000`. `toLocaleString` loads the data of all languages first, for 16 ms. */
export function withThousandsSeparators(number: number): string {
  let text = String(number)
  for (let at = text.length - 3; at > 0 && text[at - 1] !== '-'; at -= 3)
    text = `${text.slice(0, at)},${text.slice(at)}`
  return text
}

/** `1 category`, `2 categories`: how many of what there are. */
export const pluralize = (number: number, one: string, many = `${one}s`): string =>
  `${withThousandsSeparators(number)} ${number === 1 ? one : many}`

/** Items that are named of a list in a sentence, and characters of each. */
const MAX_LISTED = { items: 20, length: 100 }

/** The first items of a list for a sentence, with `…` where there are more. */
export const firstOf = (items: readonly string[]): string =>
  items
    .slice(0, MAX_LISTED.items)
    .map((item) => excerpt(item, MAX_LISTED.length))
    .concat(items.length > MAX_LISTED.items ? '…' : [])
    .join(', ')

/** Why something failed: `fetch` and others say only that it did, and why lies below. */
export const reasonOf = ({ cause, message }: Error): string =>
  cause instanceof Error && cause.message !== '' ? cause.message : message

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  // Empty texts are common, and an error with its stack takes a hundred times as long.
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
