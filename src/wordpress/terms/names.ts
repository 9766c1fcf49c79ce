import { decodeHTML } from 'entities'
import { stripTags } from '../../lib/text.ts'

/** Equal but for letter case, as `wp_insert_term` compares; an accent may be a character of its own, as macOS writes it. */
export const isSameTermName = (a: string, b: string): boolean => comparable(a) === comparable(b)

const comparable = (name: string): string => name.normalize('NFC').toLowerCase()

/** Without what WordPress takes away: spaces, control characters. Senders escape `&`, some of them twice. */
export const readTermName = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/&(?:amp;)+/gi, '&')
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()

/** Whether WordPress may have made the one of the other: `AT&amp;T` and `AT&T` are one name to it. */
export const mayBeSameTermName = (called: string, name: string): boolean =>
  isSameTermName(decodedName(called), decodedName(name)) || strippedName(called) === strippedName(name)

/** A name as people read it: whoever sends `&amp;` means `&`, and what was escaped twice reads as what was escaped once. */
const decodedName = (name: string): string => readTermName(decodeHTML(decodeHTML(name)))

const strippedName = (name: string): string =>
  stripTags(withoutElements(decodedName(name)))
    .replace(/%[a-f0-9]{2}/gi, '')
    .replace(/\s+/g, '')
    .toLowerCase()

/** Without what `wp_strip_all_tags` and PHP's `strip_tags` take away with all that is in it. */
function withoutElements(name: string): string {
  const parts: string[] = []
  let rest = name
  for (let open = ELEMENT.exec(rest); open !== null; open = ELEMENT.exec(rest)) {
    const end = ELEMENT_ENDS[open[0].toLowerCase()] ?? '>'
    const close = rest.toLowerCase().indexOf(end, open.index + open[0].length)
    if (close === -1) break
    parts.push(rest.slice(0, open.index))
    rest = rest.slice(close + end.length)
  }
  return [...parts, rest].join('')
}

const ELEMENT = /<(?:script|style|!--|\?)/i

const ELEMENT_ENDS: Readonly<Record<string, string>> = {
  '<script': '</script>',
  '<style': '</style>',
  '<!--': '-->',
  '<?': '?>',
}

/** `News > Local` → `['News', 'Local']`. The spaces make it a path: `C>D` is one name. */
export const splitTermPath = (name: string): string[] =>
  name
    .replace(/\s+/g, ' ')
    .split(' > ')
    .map(readTermName)
    .filter((part) => part !== '')

/** Equal for names of which WordPress makes equal slugs, and for some more (`sanitize_title`). */
export const roughSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()

/** The alias of a name, where the site has one. */
export function applyAlias(name: string, aliases: Record<string, string>): string {
  const alias = Object.keys(aliases).find(
    (from) => readTermName(from).toLowerCase() === readTermName(name).toLowerCase(),
  )
  return alias === undefined ? name : (aliases[alias] ?? name)
}
