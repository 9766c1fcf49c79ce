import {
  deletePost,
  findDraftsByTitle,
  hasNoText,
  isTitleOf,
  type Look,
  lookAtPost,
  unfinished,
} from '../../wordpress/posts/index.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { isMarkerOfAnother, postMarker } from '../marker.ts'
import { type Delivering, reservedTitle } from './context.ts'

/**
 * The post of this number, freshly read, where it is proven that this delivery has made it and nobody has used it:
 * a draft with our marker or our title (or what a plugin made of it) and nothing more, made after the intent, and known
 * to no other delivery. Null where one of these does not hold: an answer alone may name somebody else's post.
 */
export const provenOwn = (delivering: Delivering, id: number): Promise<PostRecord | null> =>
  ownWhere(delivering, id, ({ post }) => isBare(post))

/** The same of a draft that a plugin may have filled as it was made. To be kept, never to be deleted: the proof is weaker. */
export const likelyOwn = (delivering: Delivering, id: number): Promise<PostRecord | null> =>
  ownWhere(delivering, id, (look) => isBare(look.post) || isAsMade(delivering, look))

async function ownWhere(
  delivering: Delivering,
  id: number,
  isUnused: (look: Look) => boolean,
): Promise<PostRecord | null> {
  const { site, postType } = delivering
  const look = await lookAtPost(site.client, { postType, id })
  if (look === null || !isUnused(look) || !(await isProven(delivering, look))) return null
  return look.post
}

/**
 * Whether a draft is as it was made, whatever a plugin has put into it: it has the title that Galley gave it, and was last
 * saved when Galley asked for it; a person takes longer.
 */
export function isAsMade(
  { row, ledger, document, untouchedMs }: Delivering,
  { post, serverTime }: Look,
): boolean {
  if (serverTime === null || row.reserve_intent_at === null) return false
  if (!isTitleOf(post.title, reservedTitle(document))) return false
  const age = serverTime - Date.parse(`${post.modifiedGmt}Z`)
  const after = ledger.now().getTime() - row.reserve_intent_at.getTime() - age
  return isUnfinished(post) && after >= -2 * SECOND && after <= untouchedMs.made - SECOND
}

/** As exactly as both tell the time. */
const SECOND = 1_000

/** Deletes a post that is proven to be ours; @returns whether it was. */
export async function deleteProvenOwn(delivering: Delivering, id: number): Promise<boolean> {
  if ((await provenOwn(delivering, id)) === null) return false
  await deletePost(delivering.site.client, { postType: delivering.postType, id })
  return true
}

/**
 * What an earlier attempt has left where slugs do not last: a plugin has made another one of the marker, so it is known
 * by its title, or what a plugin made of it, by what it lacks and by its time alone. The oldest of several.
 */
export async function findOwnByTitle(delivering: Delivering): Promise<PostRecord | null> {
  const { site, postType, document } = delivering
  const title = reservedTitle(document)
  if (title === '') return null
  const drafts = await findDraftsByTitle(site.client, { postType, title })
  for (const { id } of drafts.filter((draft) => isTitleOf(draft.title, title)).sort((a, b) => a.id - b.id)) {
    const own = await provenOwn(delivering, id)
    if (own !== null) return own
  }
  return null
}

async function isProven(delivering: Delivering, { post, serverTime }: Look): Promise<boolean> {
  const { row, ledger, document, postType } = delivering
  // One of two documents with the same title, which may be at the same step in this moment.
  if (isMarkerOfAnother(post.slug, row.document_id)) return false
  const marked = post.slug.startsWith(postMarker(row.document_id))
  if (!marked && !isTitleOf(post.title, reservedTitle(document))) return false
  if (!isUnfinished(post) || !madeSince(post, serverTime, sinceIntent(delivering))) return false
  return !(await ledger.isPostOfAnother(post, postType))
}

const isUnfinished = ({ status }: PostRecord): boolean => unfinished([status]).length > 0

/** As Galley reserves a post: nobody has put anything into it. */
export const isBare = (post: PostRecord): boolean =>
  hasNoText(post.content) && post.excerpt.trim() === '' && post.tags.length === 0 && post.featuredMedia === 0

/** How far the clocks of a site's web server and of its PHP may lie apart. */
const CLOCKS_APART_MS = 60_000

/** Milliseconds; null where nothing was asked for. */
const sinceIntent = ({ row, ledger }: Delivering): number | null =>
  row.reserve_intent_at && ledger.now().getTime() - row.reserve_intent_at.getTime()

/** Compared by the site's own clock, which need not be ours. */
function madeSince({ modifiedGmt }: PostRecord, serverTime: number | null, ago: number | null): boolean {
  if (serverTime === null || ago === null) return false
  const age = serverTime - Date.parse(`${modifiedGmt}Z`)
  return age >= -CLOCKS_APART_MS && age <= ago + CLOCKS_APART_MS
}
