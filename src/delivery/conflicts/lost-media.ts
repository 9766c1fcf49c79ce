import { GalleyError, type Warning } from '../../errors.ts'
import type { WordPressClient } from '../../wordpress/client/index.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import { existingMedia } from '../../wordpress/media/index.ts'

/**
 * The attachments of a post just filled that somebody has deleted, or trashed, since they were put there. None where this
 * user may not list them: the post stands by then.
 */
export async function lostMedia(client: WordPressClient, placed: readonly number[]): Promise<Set<number>> {
  try {
    const existing = await existingMedia(client, placed)
    return new Set(placed.filter((id) => !existing.has(id)))
  } catch (error) {
    if (error instanceof GalleyError && CLOSED.has(error.code)) return new Set()
    throw error
  }
}

/** As which plugins refuse a list that they keep from some users. */
const CLOSED: ReadonlySet<string> = new Set<FailureCode>([
  'rights_missing',
  'request_refused',
  'rest_api_disabled',
  'rest_route_missing',
])

/** What WordPress did not set of a fill: the next one says it again where that is still so. */
const OF_ONE_FILL: ReadonlySet<string> = new Set([
  'featured_image_dropped',
  'categories_dropped',
  'tags_dropped',
  'categories_replaced',
  'tags_replaced',
])

/** What is still true of a first fill once a second one has put back what was lost; and what both said, once. */
export function settleWarnings(first: readonly Warning[], second: readonly Warning[]): Warning[] {
  const told = [...first.filter(({ code }) => !OF_ONE_FILL.has(code)), ...second]
  return [...new Map(told.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()]
}
