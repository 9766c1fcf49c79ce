import type { Timing } from '../../jobs/timing.ts'
import { steadyNow } from '../../steady-clock.ts'
import { getPost } from '../../wordpress/posts/index.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { heldForDeletion, heldForTrash } from '../conflicts/holds.ts'
import type { Delivering } from './context.ts'

/** A post as its site has shown it. */
export interface Sighting {
  post: PostRecord
  /** Until then (`steadyNow()`) nobody but this delivery is taken to have touched it. */
  until: number
}

/** How it was seen: in the answer that this attempt's own request made it by, or by a look at what stood. */
type Seen = keyof Timing['untouchedMs']

/** @param asked when the request left (`steadyNow()`): what happens while its answer is on the way is not in it */
export const sighting = (
  { untouchedMs }: Pick<Delivering, 'untouchedMs'>,
  post: PostRecord,
  { seen, asked }: { seen: Seen; asked: number },
): Sighting => ({ post, until: asked + untouchedMs[seen] })

/** Of a post that may have been touched since. */
export const longAgo = (post: PostRecord): Sighting => ({ post, until: 0 })

/**
 * The post as it stands: as it was seen where that was a moment ago, else by a fresh look. A person cannot have worked
 * on a draft in the seconds since this attempt made it; who changes it in that time is written over, as one who does so
 * between a look and the fill always was.
 *
 * @throws GalleyError held where it was trashed or deleted
 */
export async function asItStands(
  { site, postType }: Pick<Delivering, 'site' | 'postType'>,
  { post, until }: Sighting,
): Promise<PostRecord> {
  if (steadyNow() < until) return post
  const now = await getPost(site.client, { postType, id: post.id })
  if (now === null) throw heldForDeletion(site.name, post.id)
  if (now.status === 'trash') throw heldForTrash(site.name, post.id)
  return now
}
