import type { Warning } from '../../errors.ts'
import { standingMedia } from '../../wordpress/media/index.ts'
import type { Delivering } from '../steps/context.ts'
import type { DeliveredMedia } from '../steps/media.ts'

/** The attachments of a post just filled that somebody has deleted, or trashed, since they were put there. */
export async function lostMedia({ site }: Delivering, { records }: DeliveredMedia): Promise<Set<number>> {
  const placed = [...records.values()].map(({ id }) => id)
  const standing = await standingMedia(site.client, placed)
  return new Set(placed.filter((id) => !standing.has(id)))
}

/**
 * What is still true of a first fill once a second one has put the lost files back: all but that WordPress refused a
 * featured image that was gone; and what both said, once.
 */
export function settleWarnings(first: readonly Warning[], second: readonly Warning[]): Warning[] {
  const told = [...first.filter(({ code }) => code !== 'featured_image_dropped'), ...second]
  return [...new Map(told.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()]
}
