import { GalleyError } from '../errors.ts'
import { isRequestSpecific } from './failures/index.ts'

/** As many as WordPress lists on a page. */
export const SLUGS_PER_PAGE = 100

/**
 * What is found by each of several markers, asked for in one request; or marker by marker, where the site minds that one
 * request, or answers more than fits on a page.
 *
 * @param find what has one of these slugs, on one page
 */
export async function findByMarkers<Found extends { slug: string }>(
  markers: readonly string[],
  slugsOf: (marker: string) => string[],
  find: (slugs: readonly string[]) => Promise<Found[]>,
): Promise<Found[][]> {
  const each = () => Promise.all(markers.map((marker) => find(slugsOf(marker))))
  if (markers.length < 2) return each()
  try {
    const found = await find(markers.flatMap(slugsOf))
    if (found.length >= SLUGS_PER_PAGE) return each()
    return markers.map((marker) => found.filter(({ slug }) => slugsOf(marker).includes(slug)))
  } catch (error) {
    if (error instanceof GalleyError && isRequestSpecific(error)) return each()
    throw error
  }
}

/** Core's statuses of a post, for a site that does not say which it has. */
export const CORE_STATUSES = ['publish', 'future', 'draft', 'pending', 'private']

/** WordPress renames a trashed post's slug (`wp_add_trashed_suffix_to_post_name_for_post`). */
export const markerSlugs = (marker: string): string[] => [marker, `${marker}__trashed`]

/** The marker and what WordPress makes of it while it is taken (`wp_unique_post_slug`): `-2` up to `-9`. */
export const numberedMarkerSlugs = (marker: string): string[] => [
  marker,
  ...Array.from({ length: 8 }, (_, n) => `${marker}-${n + 2}`),
]
