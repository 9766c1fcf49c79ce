import { judge } from './failures/judge.ts'

export const SLUGS_PER_PAGE = 100

/** What each marker finds, in one request; one by one where the site minds that, or it is more than a page. */
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
    if (judge(error).ofRequest) return each()
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
