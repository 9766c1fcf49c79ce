/** Equal but for letter case: `wp_insert_term` tells `cafe` from `café` (its “stricter comparison”). */
export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** WordPress trims a name and folds its spaces (`sanitize_text_field`). */
export const foldSpaces = (name: string): string => name.replace(/\s+/g, ' ').trim()

/** `News > Local` → `['News', 'Local']`. The spaces make it a path: `C>D` is one name. */
export const pathOf = (name: string): string[] =>
  name
    .replace(/\s+/g, ' ')
    .split(' > ')
    .map(foldSpaces)
    .filter((part) => part !== '')

/** How WordPress has a name in its database, which is what `search` looks through (`_wp_specialchars`). */
export const stored = (name: string): string =>
  name.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Equal for names of which WordPress makes equal slugs, and for some more (`sanitize_title`). */
export const roughSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()

/** The alias of a name, where the site has one. */
export function aliased(name: string, aliases: Record<string, string>): string {
  const alias = Object.keys(aliases).find(
    (from) => foldSpaces(from).toLowerCase() === foldSpaces(name).toLowerCase(),
  )
  return alias === undefined ? name : (aliases[alias] ?? name)
}
