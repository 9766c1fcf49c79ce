import levenshtein from 'fastest-levenshtein'

/** Case, and what divides words, are not what people mean: `featuredImage` is `featured_image`. */
const bare = (name: string): string => name.toLowerCase().replaceAll(/[_\s-]/g, '')

/** Longest name that is compared: what is longer is no slip of the fingers, and comparing takes its length squared. */
const LONGEST = 100

/**
 * The one of `names` that somebody who wrote `name` probably meant: one letter in four may be wrong.
 * Undefined where none is near.
 */
export function closest(name: string, names: readonly string[]): string | undefined {
  const meant = bare(name)
  if (meant === '' || meant.length > LONGEST) return undefined
  const [best] = names
    .map((other) => ({ other, distance: levenshtein.distance(meant, bare(other)) }))
    .sort((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= bare(best.other).length / 4 ? best.other : undefined
}
