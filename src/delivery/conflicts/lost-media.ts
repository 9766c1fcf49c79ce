import type { Warning } from '../../errors.ts'
import type { WordPressClient } from '../../wordpress/client/index.ts'
import { standingMedia } from '../../wordpress/media/index.ts'

/** The attachments of a post just filled that somebody has deleted, or trashed, since they were put there. */
export async function lostMedia(client: WordPressClient, placed: readonly number[]): Promise<Set<number>> {
  const standing = await standingMedia(client, placed)
  return new Set(placed.filter((id) => !standing.has(id)))
}

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
