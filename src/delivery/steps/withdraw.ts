import { recoverWith } from '../../errors.ts'
import { getPost } from '../../wordpress/posts/find.ts'
import { fillPost, trashPost } from '../../wordpress/posts/write.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { editsSinceFill, heldForChange, heldForReplacement, heldWithdrawalUndone } from '../holds.ts'
import type { Snapshot, WithdrawTarget } from '../ledger/state.ts'
import { overwriteAllowed, rememberedMembers } from '../post-snapshot.ts'
import { type Delivering, postUrl } from './context.ts'
import { fencedClient, type PrepareContext } from './deliver.ts'
import { isBeyondReview } from './fields.ts'
import { learnUnacknowledged } from './fill.ts'
import { removeDuplicate } from './own-post.ts'
import { isDifferentPost, isWithdrawnToTrash } from './reserve.ts'

type Withdrawing = Pick<Delivering, 'row' | 'ledger' | 'site'>

/**
 * Takes the post off its site: back to a draft, or to the trash; all else stays as it is. One that is there already, gone, or in the trash
 * by a person’s hand is withdrawn as it is. What an earlier attempt did is found.
 * @throws GalleyError held where it is another post, was changed and nobody insists, or where the site shows it again
 */
export async function withdraw(
  { timing, justFailed, progress, warnings }: Omit<PrepareContext, 'pool'>,
  { row, ledger, site }: Withdrawing,
  to: WithdrawTarget,
): Promise<void> {
  progress.step = 'withdraw'
  const { post_id: id } = row
  if (id === null) throw new Error(`delivery ${row.id} has no post to withdraw`)
  const post = { postType: row.post_type ?? site.settings.post_type, id }
  const look = () => getPost(site.client, { ...post, members: rememberedMembers(row.answered) })
  await removeDuplicate({ row, site, ledger, postType: post.postType })
  const before = await look()
  let after = before
  const isLeftInTrash = before?.status === 'trash' && !isWithdrawnToTrash(row)
  if (before !== null && before.status !== to && !isLeftInTrash) {
    await assertUnchanged({ row, ledger, site }, before)
    await ledger.record('withdraw', 'intended', `post ${id}`, {
      ...(row.answered && { answered: { ...row.answered, asked: { status: to } } }),
    })
    const writer = fencedClient(site.client, ledger, timing, justFailed)
    const moved =
      to === 'trash' ? trashPost(writer, post) : fillPost(writer, { ...post, fields: { status: to } })
    // Of a post that is in the trash by now, WordPress says the same as of one that is gone.
    after = (await moved.catch(recoverWith(null, ({ code }) => code === 'post_gone'))) ?? (await look())
  }
  if (after === null) {
    warnings.push({
      code: 'post_missing',
      message: `Post ${id} on ${site.name} is no longer there: it was deleted, or turned into one of another type, such as a page. See whether its text still stands there.`,
    })
    return ledger.defer('withdraw', 'gone', `post ${id}`, { post_status: 'deleted' })
  }
  if (after.status !== 'trash' && (to === 'trash' || isBeyondReview(after.status)))
    throw heldWithdrawalUndone(site.name, after)
  const said = `post ${id} is ${after.status}`
  const patch = {
    post_status: after.status,
    post_url: postUrl(site, after),
    ...(row.answered && { answered: leftBy(row.answered, after) }),
  }
  if (after === before) ledger.defer('withdraw', 'found', said, patch)
  else ledger.defer('withdraw', 'done', said, patch)
}

/** From now on the status is Galley's: the next version, or who sends this one again, sets it anew. */
function leftBy({ asked: _, ...answered }: Snapshot, { status, modifiedGmt }: PostRecord): Snapshot {
  return { ...answered, status, modifiedGmt }
}

async function assertUnchanged({ row, ledger, site }: Withdrawing, before: PostRecord): Promise<void> {
  if (row.answered === null) return
  const { overwrite: _, ...answered } = row.answered
  // Leave to withdraw a changed post is none for another post in its place.
  if (await isDifferentPost({ row: { ...row, answered }, ledger }, before))
    throw heldForReplacement(site.name, before.id)
  if (overwriteAllowed(row)) return
  row.answered = learnUnacknowledged(row, before) ?? row.answered
  // A picture that was deleted from the library has changed no post.
  const lostMedia = new Set([row.answered.featuredMedia])
  const changes = editsSinceFill({ row, lostMedia }, before, fieldsLeft(row.answered))
  if (changes.length > 0) throw heldForChange(site.name, before, changes, 'by_withdrawal')
}

/** What Galley has set of a post: of the rest, WordPress adds some by itself, such as the default category. */
const fieldsLeft = ({ categories, tags, featuredMedia, members }: Snapshot): PostFields => ({
  ...(categories.length > 0 && { categories }),
  ...(tags.length > 0 && { tags }),
  ...(featuredMedia !== 0 && { featuredMedia }),
  ...(members && { members }),
})
