import { steadyNow } from '../../steady-clock.ts'
import { isOutdated, type WordPressClient } from '../../wordpress/client/index.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { keepEdits } from '../conflicts/edits.ts'
import { fingerprint, isSameText } from '../conflicts/fingerprint.ts'
import { remembered, sameIds, snapshotUnacknowledged } from '../conflicts/snapshot.ts'
import { setByline } from './byline.ts'
import type { Delivering } from './context.ts'
import { asking, fillAsAllowed } from './fill-as-allowed.ts'
import { postAddress } from './post-address.ts'
import { asItStands, longAgo, type Sighting } from './sighting.ts'
import type { FilledPost } from './verify.ts'
import { requireWithin } from './wanted.ts'

/**
 * Sets everything of the post in one request, its status last. Repeating it changes nothing, so an unanswered
 * fill is simply made again, unless a person has changed the post meanwhile.
 *
 * @returns what is to be verified; null where the post said all of it already
 * @throws GalleyError held where a person trashed, deleted or changed the post before
 */
export async function fill(
  delivering: Delivering,
  seen: Sighting,
  wanted: PostFields,
): Promise<FilledPost | null> {
  const { writer, warnings } = delivering
  delivering.progress.enter('fill')
  const noticed = warnings.length
  let last = seen
  for (let withinMs = delivering.fillWithinMs; ; withinMs *= 2) {
    const before = await asItStands(delivering, last)
    const inTime = { ...delivering, writer: leavingUntil(steadyNow() + withinMs, writer) }
    try {
      return await fillAsSeen(inTime, before, wanted)
    } catch (error) {
      if (!isOutdated(error)) throw error
      // A slow site is given more time after each look, or it would be looked at for ever.
      warnings.splice(noticed)
      last = longAgo(before)
    }
  }
}

/**
 * What is decided by a look has to leave until then. What follows its answer, or its refusal, goes on with what that has changed, as
 * where a plugin has a post published in a second request: another look would find our own words as that plugin wrote them, and
 * take them for somebody's.
 */
function leavingUntil(until: number, writer: WordPressClient): WordPressClient {
  let ended = false
  const first = writer.with({ holds: () => ended || steadyNow() < until })
  const request: WordPressClient['request'] = (asked) =>
    first.request(asked).finally(() => {
      ended = true
    })
  return { ...first, request }
}

/** @param before the post as it stands */
async function fillAsSeen(
  delivering: Delivering,
  before: PostRecord,
  wanted: PostFields,
): Promise<FilledPost | null> {
  const { row, site, ledger } = delivering
  const postId = before.id
  learnStatus(delivering, before)
  learnUnacknowledged(delivering, before)
  const { fields, statusOnly } = keepEdits(delivering, before, within(before, wanted))

  const sentHash = statusOnly ? row.sent_hash : fingerprint({ ...before, ...fields })
  const stands = statusOnly || sentHash === fingerprint(before)
  // After two failures the description is given up: they may be of a save that never gets as far as that.
  const hasDescription = row.attempts + row.site_failures > 1 || !changesDescription(before, fields)
  const allStands = stands && hasDescription && !changesMore(before, fields)
  if (row.delivered_event_id !== null && allStands) {
    ledger.defer('fill', 'unchanged', `post ${postId} says this already`, {
      post_status: before.status,
      post_url: postAddress(site, before),
      answered: remembered(row.answered, { sent: fields, before, post: before }),
    })
    return null
  }
  // An earlier fill has set all of it, and failed afterwards, as it would again: a plugin ends every save with an error.
  if (row.sent_hash !== null && row.sent_hash === sentHash && allStands) {
    ledger.defer('fill', 'found', `post ${postId} has all that was sent`)
    return { before, sent: fields, post: before }
  }
  requireWithin(delivering, before)
  await ledger.record('fill', 'intended', null, {
    ...(sentHash !== null && { sent_hash: sentHash }),
    ...asking(row, fields),
  })
  const byline = await setByline(delivering, before)
  const { post, sent, refusal } = await fillAsAllowed(delivering, postId, fields)
  return { before, sent: byline === null ? sent : { ...sent, byline }, post, ...(refusal && { refusal }) }
}

/** A fill that WordPress crashed over may have published the post, and whatever becomes of this one, it is shown as it is. */
function learnStatus({ row, ledger }: Delivering, { id, status }: PostRecord): void {
  if (row.post_status === status) return
  ledger.defer('fill', 'found', `post ${id} is ${status}`, { post_status: status })
}

/** What an earlier fill sent and nobody heard of is ours, before a person's changes are looked for. */
function learnUnacknowledged({ row, ledger }: Delivering, post: PostRecord): void {
  const { answered, sent_hash, delivered_event_id } = row
  if (answered === null) return
  const text = fingerprint(post) === sent_hash && fingerprint(answered) !== sent_hash
  const unacknowledged = snapshotUnacknowledged(answered, post, { text, first: delivered_event_id === null })
  if (unacknowledged === null) return
  ledger.defer('fill', 'found', `post ${post.id} has the content of a request that got no answer`, {
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

/** Whether a fill would change anything besides the text. */
function changesMore(before: PostRecord, { status, categories, tags, featuredMedia }: PostFields): boolean {
  return (
    (status ?? before.status) !== before.status ||
    (featuredMedia ?? before.featuredMedia) !== before.featuredMedia ||
    !sameIds(categories ?? before.categories, before.categories) ||
    !sameIds(tags ?? before.tags, before.tags)
  )
}

/**
 * Whether it would change the description for search engines of a post that shows no other. Where there is an excerpt, that
 * has the same words, and what differs is a person's.
 */
function changesDescription({ lacks, meta }: PostRecord, fields: PostFields): boolean {
  if (!lacks.includes('excerpt')) return false
  return Object.entries(fields.meta ?? {}).some(
    ([key, wanted]) => Object.hasOwn(meta, key) && !isSameText(String(meta[key]), String(wanted)),
  )
}
