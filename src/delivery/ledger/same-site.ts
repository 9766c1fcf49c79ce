const hostOf = (site: string): string => `split_part(${site}.url, '/', 3)`
const placeOf = (site: string): string => `split_part(${site}.url, '://', 2)`

/**
 * A condition: `theirs`, a site, is the same WordPress as `mine`, though it may be reached at another address: the REST root is
 * the same, or the site is where `:link` is read, or `other`, a delivery to it, was read at `:origin`. Two folders of one host
 * are two sites, as in a network, which both have a post of each number.
 */
export const IS_SAME_SITE = `(theirs.rest_root = mine.rest_root OR (
  (starts_with(other.post_url, :origin::text) OR starts_with(:link::text, theirs.url || '/'))
  AND (${hostOf('theirs')} <> ${hostOf('mine')} OR ${placeOf('theirs')} = ${placeOf('mine')})))`

/** Parameters of {@link IS_SAME_SITE}: where something is read on the site; nothing where it says no address. */
export const readAt = (link: string | null): { link: string | null; origin: string | null } =>
  link ? { link, origin: `${new URL(link).origin}/` } : { link: null, origin: null }
