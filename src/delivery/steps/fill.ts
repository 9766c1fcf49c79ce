import { GalleyError, type Warning } from '../../errors.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import { fillPost, refusesStatus, unfinished } from '../../wordpress/posts/index.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { keepEdits } from '../conflicts/edits.ts'
import { fingerprint } from '../conflicts/fingerprint.ts'
import { held, heldForTrash } from '../conflicts/holds.ts'
import { remembered, sameIds, snapshotUnacknowledged } from '../conflicts/snapshot.ts'
import type { LedgerPatch, Requested } from '../ledger/row.ts'
import { setByline } from './byline.ts'
import type { Delivering } from './context.ts'
import { postAddress } from './post-address.ts'
import { asItStands, type Sighting } from './sighting.ts'
import type { FilledPost } from './verify.ts'
import { requireWithin } from './wanted.ts'

/**
 * Sets everything of the post in one request, its status last. Repeating it changes nothing, so an unanswered
 * fill is simply made again, unless a person has changed the post meanwhile.
 *
 * @returns what is to be verified; null where the post said all of it already
 * @throws GalleyError held where a person trashed, deleted or changed the post
 */
export async function fill(
  delivering: Delivering,
  seen: Sighting,
  wanted: PostFields,
): Promise<FilledPost | null> {
  const { row, site, ledger } = delivering
  const postId = seen.post.id
  delivering.progress.enter('fill')
  const before = await asItStands(delivering, seen)
  learnUnacknowledged(delivering, before)
  const { fields, statusOnly } = keepEdits(delivering, before, within(before, wanted))

  const sentHash = statusOnly ? row.sent_hash : fingerprint({ ...before, ...fields })
  const stands = statusOnly || sentHash === fingerprint(before)
  if (row.delivered_event_id !== null && stands && !changesMore(before, fields)) {
    ledger.keep('fill', 'unchanged', `post ${postId} says this already`, {
      post_status: before.status,
      post_url: postAddress(site, before),
      answered: remembered(row.answered, { sent: fields, stood: before, post: before }),
    })
    return null
  }
  // An earlier fill has set all of it, and failed afterwards, as it would again: a plugin ends every save with an error.
  if (row.sent_hash !== null && row.sent_hash === sentHash && stands && !changesMore(before, fields)) {
    ledger.keep('fill', 'found', `post ${postId} has all that was sent`)
    return { before, sent: fields, post: before }
  }
  requireWithin(delivering, before)
  await ledger.note('fill', 'intended', null, {
    ...(sentHash !== null && { sent_hash: sentHash }),
    ...asking(row, fields),
  })
  const byline = await setByline(delivering, before)
  const { post, sent } = await fillAsAllowed(delivering, postId, fields)
  if (post.status === 'trash') throw heldForTrash(site.name, postId)
  return { before, sent: byline === null ? sent : { ...sent, byline }, post }
}

/** What an earlier fill sent and nobody heard of is ours, before a person's changes are looked for. */
function learnUnacknowledged({ row, ledger }: Delivering, post: PostRecord): void {
  const { answered, sent_hash, delivered_event_id } = row
  if (answered === null) return
  const text = fingerprint(post) === sent_hash && fingerprint(answered) !== sent_hash
  const unacknowledged = snapshotUnacknowledged(answered, post, { text, first: delivered_event_id === null })
  if (unacknowledged === null) return
  ledger.keep('fill', 'found', `post ${post.id} has the content of a request that got no answer`, {
    answered: unacknowledged,
  })
}

/**
 * What the post can hold: a type without an excerpt takes none, and none is missed there. The text is sent whatever the
 * answers show: a plugin may hide it, and a document whose text stands nowhere is not delivered.
 */
function within({ lacks }: PostRecord, wanted: PostFields): PostFields {
  const fields = { ...wanted }
  for (const field of lacks) if (field !== 'content') delete fields[field]
  return fields
}

/** Recorded before a fill leaves, beside the hash of its text. */
function asking({ answered }: Delivering['row'], fields: PostFields): Pick<LedgerPatch, 'answered'> {
  if (answered === null) return {}
  const { status, categories, tags, featuredMedia } = fields
  const asked: Requested = {
    ...(status && { status }),
    ...(categories && { categories }),
    ...(tags && { tags }),
    ...(featuredMedia !== undefined && { featuredMedia }),
  }
  return { answered: { ...answered, asked } }
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

/** What a fill sent in the end, and what came of it. */
interface Filled {
  post: PostRecord
  sent: PostFields
}

/**
 * WordPress may refuse a part of a fill though it has saved the rest: what it will not have is left out, with a warning.
 */
async function fillAsAllowed(delivering: Delivering, id: number, fields: PostFields): Promise<Filled> {
  try {
    const filled = await fillOrLower(delivering, id, fields)
    const kept = filled.sent.status === 'publish' && unfinished([filled.post.status]).length > 0
    return kept && fields.featuredMedia ? publishAfterwards(delivering, id, filled) : filled
  } catch (error) {
    if (refusesStatus(error) && fields.status !== undefined)
      return withoutStatus(delivering, id, fields, error)
    if (!(error instanceof GalleyError) || !REFUSALS.has(error.code)) throw error
    const { meta, status, ...rest } = fields
    if (meta !== undefined) {
      const filled = await fillAsAllowed(delivering, id, { ...rest, ...(status && { status }) })
      delivering.warnings.push(metaRefused(delivering.site.name, Object.keys(meta), error))
      return filled
    }
    if (status !== 'publish' || !fields.featuredMedia) throw error
    return publishAfterwards(delivering, id, await fillOrLower(delivering, id, rest))
  }
}

/** Checklists look whether a post has its featured image before the request that sets both has set it. */
async function publishAfterwards(delivering: Delivering, id: number, first: Filled): Promise<Filled> {
  const second = await fillOrLower(delivering, id, { status: 'publish' })
  return { post: second.post, sent: { ...first.sent, ...second.sent } }
}

/** A site that lacks the status: the post keeps its own, which holds one that was to be published. */
async function withoutStatus(
  delivering: Delivering,
  id: number,
  { status, ...rest }: PostFields,
  { message }: GalleyError,
): Promise<Filled> {
  const { post, sent } = await fillAsAllowed(delivering, id, rest)
  if (status === 'publish') return { post, sent: { ...sent, status } }
  delivering.warnings.push({
    code: 'status_unavailable',
    message: `The post stays “${post.status}”: posts on ${delivering.site.name} cannot be “${status}”. ${message}`,
  })
  return { post, sent }
}

/** As which WordPress answers a field of `meta` that this user may not set: after it has saved the post. */
const REFUSALS: ReadonlySet<string> = new Set<FailureCode>([
  'rights_missing',
  'field_refused',
  'request_refused',
  'not_logged_in',
])

const metaRefused = (site: string, keys: string[], { message }: GalleyError): Warning => ({
  code: 'meta_refused',
  message: `The post has no ${keys.join(', ')}, since WordPress on ${site} did not accept it: ${message}`,
})

/** A user who may not publish leaves the post for review instead, with a warning. */
async function fillOrLower(
  { row, site, writer, postType, warnings, ledger }: Delivering,
  id: number,
  fields: PostFields,
): Promise<Filled> {
  try {
    return { post: await fillPost(writer, { postType, id, fields }), sent: fields }
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'cannot_publish' && fields.status === 'publish'))
      throw error
    if (site.settings.on_publish_refused === 'hold') throw held(error.code, error.message)
    const sent: PostFields = { ...fields, status: 'pending' }
    await ledger.note('fill', 'lowered', 'this user may not publish', asking(row, sent))
    warnings.push(statusLowered(site.name))
    return { post: await fillPost(writer, { postType, id, fields: sent }), sent }
  }
}

export const statusLowered = (site: string): Warning => ({
  code: 'status_lowered',
  message: `The user connected to ${site} may not publish, so the post waits for review as pending. Give that user the role of an author or editor, or ask for "pending".`,
})
