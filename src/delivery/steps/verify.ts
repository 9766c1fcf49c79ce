import type { GalleyError } from '../../errors.ts'
import { getPost, verifyFill } from '../../wordpress/posts/index.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { heldForRemoval } from '../conflicts/holds.ts'
import { remembered } from '../conflicts/snapshot.ts'
import type { Delivering } from './context.ts'
import { addressElsewhere, postAddress } from './post-address.ts'
import { nameReplaced } from './replaced-terms.ts'
import { lostInPart, missingText, requireStored, seenOtherwise } from './require-stored.ts'
import { requiredEmpty } from './required-fields.ts'

/** A post that was just filled. */
export interface FilledPost {
  /** As it stood before. */
  before: PostRecord
  sent: PostFields
  /** As WordPress answered. */
  post: PostRecord
  /** Why it is not published though that was asked for. */
  refusal?: GalleyError
}

/**
 * Compares what WordPress answered with what was sent: what it silently dropped becomes a warning. What stands is
 * remembered first, so that a person's changes are told from it whatever becomes of this.
 *
 * @throws GalleyError held where little or nothing of it stands, or the post is gone
 */
export async function verify(
  delivering: Delivering,
  { before, sent, post: answer, refusal }: FilledPost,
): Promise<void> {
  const { row, site, ledger, warnings } = delivering
  delivering.progress.enter('verify')
  const post = await asItStands(delivering, answer, sent)
  if (post === null) throw heldForRemoval(site.name, answer.id, post)
  if (post.status === 'trash') {
    ledger.defer('verify', 'removed', `post ${post.id} is in the trash`, { post_status: post.status })
    throw heldForRemoval(site.name, post.id, post)
  }
  ledger.defer('verify', 'done', `post ${post.id} is ${post.status}`, {
    post_status: post.status,
    post_url: postAddress(site, post),
    answered: remembered(row.answered, { sent, before, post }),
  })
  requireStored(site.name, { sent, before, post, refusal })
  warnings.push(
    ...(await nameReplaced(site, { sent, post, warnings: verifyFill(sent, post) })),
    ...(sent.content === undefined ? [] : lostInPart(site.name, sent.content, post.content)),
    ...seenOtherwise(site.name, { sent, before, post }),
    ...addressElsewhere(site, post),
    ...requiredEmpty(site, post),
  )
}

/**
 * The answer, or where it lacks what was sent or shows two statuses, a fresh look: an answer may come from a cache, and a
 * plugin may have done something to the post after it was saved. Null where it has deleted it.
 */
async function asItStands(
  { site, postType }: Delivering,
  answer: PostRecord,
  sent: PostFields,
): Promise<PostRecord | null> {
  if (
    !answer.movedOn &&
    missingText(sent.content ?? '', answer.content) === null &&
    (sent.status ?? answer.status) === answer.status
  )
    return answer
  return getPost(site.client, { postType, id: answer.id })
}
