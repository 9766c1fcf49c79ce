import { decodeHTML } from 'entities'
import { stripTags } from '../../lib/text.ts'

/**
 * Equal but for letter case: `wp_insert_term` tells `cafe` from `café` (its “stricter comparison”). An accent may be a
 * character of its own, as macOS writes it: people see one name, of which WordPress would make two.
 */
export const isSameTermName = (a: string, b: string): boolean => comparable(a) === comparable(b)

const comparable = (name: string): string => name.normalize('NFC').toLowerCase()

/** WordPress trims a name, folds its spaces (`sanitize_text_field`) and takes control characters out (`wp_kses_no_null`). */
export const collapseSpaces = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()

/**
 * Whether WordPress may have made the one of the other: equal, or equal without what it takes away first (tags, escaped
 * bytes, spaces) and a little less. `AT&amp;T` and `AT&T` are one name to it.
 */
export const mayBeSameTermName = (called: string, name: string): boolean =>
  isSameTermName(decodedName(called), decodedName(name)) || strippedName(called) === strippedName(name)

/** A name as people read it: whoever sends `&amp;` means `&`, and what was escaped twice reads as what was escaped once. */
const decodedName = (name: string): string => collapseSpaces(decodeHTML(decodeHTML(name)))

const strippedName = (name: string): string =>
  stripTags(decodedName(name))
    .replace(/%[a-f0-9]{2}/gi, '')
    .replace(/\s+/g, '')
    .toLowerCase()

/** `News > Local` → `['News', 'Local']`. The spaces make it a path: `C>D` is one name. */
export const splitTermPath = (name: string): string[] =>
  name
    .replace(/\s+/g, ' ')
    .split(' > ')
    .map(collapseSpaces)
    .filter((part) => part !== '')

/** How WordPress has a name in its database, which is what `search` looks through (`_wp_specialchars`). */
export const storedTermName = (name: string): string =>
  name.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Equal for names of which WordPress makes equal slugs, and for some more (`sanitize_title`). */
export const roughSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()

/** The alias of a name, where the site has one. */
export function applyAlias(name: string, aliases: Record<string, string>): string {
  const alias = Object.keys(aliases).find(
    (from) => collapseSpaces(from).toLowerCase() === collapseSpaces(name).toLowerCase(),
  )
  return alias === undefined ? name : (aliases[alias] ?? name)
}
