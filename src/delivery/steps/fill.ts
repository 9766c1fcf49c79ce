import { GalleyError, type Warning } from '../../errors.ts'
import { fillPost, getPost, verifyFill } from '../../wordpress/posts/index.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { answeredOf, remembered, sameIds } from '../answered.ts'
import type { Delivering } from '../delivering.ts'
import { fingerprint } from '../fingerprint.ts'
import { held, heldForDeletion, heldForTrash } from '../held.ts'
import { respectPeople } from '../people.ts'
import type { Answered } from '../row.ts'

/**
 * Sets everything of the post in one request, its status last. Repeating it changes nothing, so an unanswered
 * fill is simply made again, unless a person has changed the post meanwhile. Then compares WordPress's answer
 * with what was asked: what it silently dropped becomes a warning.
 *
 * @throws GalleyError held where a person trashed, deleted or changed the post
 */
export async function fill(delivering: Delivering, postId: number, wanted: PostFields): Promise<void> {
  const { row, site, ledger, postType, warnings } = delivering
  delivering.step = 'fill'
  const before = await getPost(site.client, { postType, id: postId })
  if (before === null) throw heldForDeletion(site.name, postId)
  if (before.status === 'trash') throw heldForTrash(site.name, postId)
  const unheard = answeredUnheard(row, before)
  if (unheard !== null)
    ledger.keep('fill', 'found', `post ${postId} has what was sent without an answer`, { answered: unheard })
  const { fields, statusOnly } = respectPeople(delivering, before, wanted)

  const sentHash = statusOnly ? row.sent_hash : fingerprint({ ...before, ...fields })
  const stands = statusOnly || sentHash === fingerprint(before)
  if (row.delivered_event_id !== null && stands && !changesMore(before, fields)) {
    ledger.keep('fill', 'unchanged', `post ${postId} says this already`, {
      post_status: before.status,
      post_url: before.link,
      answered: remembered(row.answered, { sent: fields, wanted, post: before }),
    })
    return
  }
  await ledger.note('fill', 'intended', null, { ...(sentHash !== null && { sent_hash: sentHash }) })
  const { post, sent } = await fillOrLower(delivering, postId, fields)
  if (post.status === 'trash') throw heldForTrash(site.name, postId)

  delivering.step = 'verify'
  warnings.push(...verifyFill(sent, post))
  ledger.keep('verify', 'done', `post ${post.id} is ${post.status}`, {
    post_status: post.status,
    post_url: post.link,
    answered: remembered(row.answered, { sent, wanted, post }),
  })
}

/**
 * What WordPress would have answered to the last fill, where the text that was sent stands though no answer came; null
 * where none was lost. Before another text is sent, which then is all that is known to be ours. Who set the status since,
 * nobody can tell.
 */
function answeredUnheard({ answered, sent_hash }: Delivering['row'], post: PostRecord): Answered | null {
  if (answered === null || fingerprint(post) !== sent_hash || fingerprint(answered) === sent_hash) return null
  return { ...answered, ...answeredOf(post), status: answered.status }
}

/** Whether a fill would change anything besides the text. */
function changesMore(before: PostRecord, { status, categories, tags, featuredMedia }: PostFields): boolean {
  return (
    (status ?? before.status) !== before.status ||
    (featuredMedia ?? before.featuredMedia) !== before.featuredMedia ||
    !sameIds(categories ?? before.categories, before.categories) ||
    !sameIds(tags ?? before.tags, before.tags)
  )
}

/** A user who may not publish leaves the post for review instead, with a warning (wordpress.md, row 14). */
async function fillOrLower(
  { site, writer, postType, warnings, ledger }: Delivering,
  id: number,
  fields: PostFields,
): Promise<{ post: PostRecord; sent: PostFields }> {
  try {
    return { post: await fillPost(writer, { postType, id, fields }), sent: fields }
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'cannot_publish' && fields.status === 'publish'))
      throw error
    if (site.settings.on_publish_refused === 'hold') throw held(error.code, error.message)
    await ledger.note('fill', 'lowered', 'this user may not publish')
    warnings.push(statusLowered(site.name))
    const sent: PostFields = { ...fields, status: 'pending' }
    return { post: await fillPost(writer, { postType, id, fields: sent }), sent }
  }
}

export const statusLowered = (site: string): Warning => ({
  code: 'status_lowered',
  message: `The user connected to ${site} may not publish, so the post waits for review as pending. Give that user the role of an author or editor, or ask for "pending".`,
})
