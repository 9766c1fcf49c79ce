import { allDelivered, type DocumentRequested } from './documents.ts'
import { holdBacklog, releaseBacklog } from './hold.ts'
import { newestPost, removeMade, requireEachOnce } from './posts.ts'
import type { Stage } from './stage.ts'

/** What a post took. */
export interface Taken {
  /** Posts a second, from the release of the backlog to the last settlement in the database. */
  perSecond: number
  /** Milliseconds of processor time a post; null where they cannot be found. */
  ofWordPress: number | null
  ofGalley: number | null
}

/**
 * Documents that wait for their site, and are then delivered together; their intake is no part of the time. Proves that
 * each became exactly one post, and removes the posts.
 */
export async function deliverBacklog(
  stage: Stage,
  { documents, ...requested }: Omit<DocumentRequested, 'webhook'> & { documents: number },
): Promise<Taken> {
  const { pool, webhook, clocks, wordpress } = stage
  const above = await newestPost(wordpress)
  const ids = await holdBacklog(pool, { ...requested, webhook }, documents)
  const [wordPressBegan, galleyBegan] = [clocks.wordPress(), clocks.galley()]
  const began = Date.now()
  await releaseBacklog(pool, requested.siteId)
  const last = await allDelivered(pool, ids)
  const taken = {
    perSecond: (documents * 1_000) / (last - began),
    ofWordPress: since(wordPressBegan, clocks.wordPress(), documents),
    ofGalley: since(galleyBegan, clocks.galley(), documents),
  }
  await requireEachOnce(wordpress, above, ids)
  await removeMade(wordpress, above)
  return taken
}

/** Milliseconds for each of so many posts. */
export const since = (began: number | null, ended: number | null, posts: number): number | null =>
  began === null || ended === null ? null : (ended - began) / posts
