import { GalleyError } from '../errors.ts'
import { concernsQuestion } from './failures/index.ts'

/** As many as WordPress lists on a page. */
export const PER_PAGE = 100

/**
 * What is found by each of several markers, asked for in one request; or marker by marker, where the site minds that one
 * request, or answers more than fits on a page.
 *
 * @param find what has one of these slugs, on one page
 */
export async function bySlugs<Found extends { slug: string }>(
  markers: readonly string[],
  slugsOf: (marker: string) => string[],
  find: (slugs: readonly string[]) => Promise<Found[]>,
): Promise<Found[][]> {
  const each = () => Promise.all(markers.map((marker) => find(slugsOf(marker))))
  if (markers.length < 2) return each()
  try {
    const found = await find(markers.flatMap(slugsOf))
    if (found.length >= PER_PAGE) return each()
    return markers.map((marker) => found.filter(({ slug }) => slugsOf(marker).includes(slug)))
  } catch (error) {
    if (error instanceof GalleyError && concernsQuestion(error)) return each()
    throw error
  }
}
