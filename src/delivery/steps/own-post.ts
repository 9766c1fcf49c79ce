import {
  deletePost,
  fetchTimedPost,
  findDraftsByTitle,
  findPostsBySlug,
  getPost,
  isDerivedTitle,
  type TimedPost,
  unfinishedStatuses,
} from '../../wordpress/posts/find.ts'
import { isSameSlug } from '../../wordpress/posts/slugs.ts'
import { isEmptyPost } from '../../wordpress/posts/write.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { heldForChange } from '../holds.ts'
import { isMarker, isPostOfOtherDelivery, postMarker } from '../ledger/ownership.ts'
import type { Snapshot } from '../ledger/state.ts'
import { changedText, keepsMostLines, snapshotOf, textHash } from '../post-snapshot.ts'
import { type Delivering, postPatch, reservedTitle } from './context.ts'
import type { FilledPost } from './verify.ts'

/**
 * The post of this number, freshly read, where it is proven that this delivery has made it and nobody has used it: a draft with our
 * marker or title and nothing more, made after the intent, and nobody else’s. An answer alone may name somebody else’s post.
 */
export const provenOwnPost = (delivering: Delivering, id: number): Promise<PostRecord | null> =>
  ownPostWhere(delivering, id, ({ post }) => isEmptyPost(post))

/** The same of a draft that a plugin may have filled as it was made. To be kept, never to be deleted: the proof is weaker. */
export const likelyOwnPost = (delivering: Delivering, id: number): Promise<PostRecord | null> =>
  ownPostWhere(delivering, id, (look) => isEmptyPost(look.post) || isAsCreated(delivering, look))

async function ownPostWhere(delivering: Delivering, id: number, isUnused: (look: TimedPost) => boolean) {
  const { site, postType } = delivering
  const look = await fetchTimedPost(site.client, { postType, id })
  if (look === null || !isUnused(look) || !(await isProven(delivering, look))) return null
  return look.post
}

/** Whether a draft is as it was made: with Galley's title, and last saved when Galley asked; a person takes longer. */
export function isAsCreated(delivering: Delivering, look: TimedPost): boolean {
  const { document, untouchedMs } = delivering
  if (!isUnfinished(look.post) || !isDerivedTitle(look.post.title, reservedTitle(document))) return false
  const { savedAfter } = timesOf(delivering, look)
  return savedAfter >= -2 * SECOND_MS && savedAfter <= untouchedMs.made - SECOND_MS
}

const SECOND_MS = 1_000

/** What an earlier attempt has left where a plugin rewrites slugs: known by title, emptiness and time. The oldest of several. */
export async function findOwnPostByTitle(delivering: Delivering): Promise<PostRecord | null> {
  const { site, postType, document } = delivering
  const title = reservedTitle(document)
  if (title === '') return null
  const drafts = await findDraftsByTitle(site.client, { postType, title })
  for (const { id } of drafts
    .filter((draft) => isDerivedTitle(draft.title, title))
    .sort((a, b) => a.id - b.id)) {
    const own = await provenOwnPost(delivering, id)
    if (own !== null) return own
  }
  return null
}

async function isProven(delivering: Delivering, look: TimedPost): Promise<boolean> {
  const { row, ledger, document, postType } = delivering
  const { post } = look
  const marked = post.slug.startsWith(postMarker(row))
  // One of two with the same title, which may be at the same step in this moment.
  if (!marked && isMarker(post.slug)) return false
  if (!marked && !isDerivedTitle(post.title, reservedTitle(document))) return false
  const { age, savedAfter } = timesOf(delivering, look)
  const isSince = age >= -MAX_CLOCK_SKEW_MS && savedAfter >= -MAX_CLOCK_SKEW_MS
  if (!isUnfinished(post) || !isSince) return false
  return !(await isPostOfOtherDelivery(ledger.pool, ledger.id, post, postType))
}

const isUnfinished = ({ status }: PostRecord): boolean => unfinishedStatuses([status]).length > 0

/** How far the clocks of a site's web server and of its PHP may lie apart. */
const MAX_CLOCK_SKEW_MS = 60_000

/** Milliseconds since a post was saved, by the site’s own clock, and from the intent to that. NaN where one is not known. */
function timesOf({ row, ledger }: Delivering, { post, serverTime }: TimedPost) {
  const age = (serverTime ?? Number.NaN) - Date.parse(`${post.modifiedGmt}Z`)
  const intendedAt = row.reserve_intent_at?.getTime() ?? Number.NaN
  return { age, savedAfter: ledger.now().getTime() - intendedAt - age }
}

// A database that was put back to an earlier day has forgotten deliveries; WordPress gives the second post of a document a number.

/**
 * Where the post just filled got a numbered slug, looks at who has the one that was wanted. A post of the same user with the same text is
 * this delivery’s from now on, and the new one goes, once a fresh look has proven that it is as this attempt left it. So it is with one
 * whose text somebody has changed, which is held. Anything else is somebody’s, and stays.
 * @returns the earlier post; null where there is none @throws GalleyError held where somebody has changed it
 */
export async function adoptForgottenPost(
  delivering: Delivering,
  { sent, post: ours }: FilledPost,
): Promise<PostRecord | null> {
  const { row, site, ledger, postType } = delivering
  const slugs = row.delivered_event_id === null ? candidateSlugs(ours, sent) : []
  if (slugs.length === 0) return null
  const earlier = await findForgottenPost(delivering, ours, slugs)
  if (earlier === null) return null
  const now = await getPost(site.client, { postType, id: ours.id })
  if (now === null || !isUnchangedSince(now, ours)) return null
  const left: Snapshot = { ...snapshotOf(ours), slug: earlier.slug }
  await ledger.record(
    'reserve',
    'adopted',
    `post ${earlier.id}, which this document was delivered to before`,
    { ...postPatch(delivering, earlier), answered: { ...left, duplicate: ours.id } },
  )
  await deletePost(site.client, { postType, id: ours.id })
  ledger.defer('reserve', 'removed', `post ${ours.id}, which this attempt had made`, { answered: left })
  const changes = changedText(left, earlier)
  if (changes.length > 0) throw heldForChange(site.name, earlier, changes)
  return earlier
}

/** What an attempt was about to remove when its process ended, if it is still what that one left. */
export async function removeDuplicate({
  row,
  site,
  ledger,
  postType,
}: Pick<Delivering, 'row' | 'site' | 'ledger' | 'postType'>): Promise<void> {
  const { duplicate, ...left } = row.answered ?? {}
  if (duplicate === undefined || duplicate === row.post_id) return
  const post = await getPost(site.client, { postType, id: duplicate })
  if (post !== null && hasNumberedSlug(post.slug) && textHash(post) === textHash(left as Snapshot))
    await deletePost(site.client, { postType, id: duplicate })
  ledger.defer('reserve', 'removed', `post ${duplicate}, which an earlier attempt had made`, {
    answered: left as Snapshot,
  })
}

/** `title-3` → `title`, `title-2`; nothing where the slug is what was asked for. */
function candidateSlugs({ slug }: PostRecord, sent: FilledPost['sent']): string[] {
  if (sent.slug === undefined || isSameSlug(sent.slug, slug) || !hasNumberedSlug(slug)) return []
  const base = slug.replace(SLUG_NUMBER, '')
  const number = Number(SLUG_NUMBER.exec(slug)?.[1])
  const between = Array.from(
    { length: Math.min(number, MAX_CANDIDATES) - 2 },
    (_, n) => `${base}-${number - 1 - n}`,
  )
  return [base, ...between]
}

/** As WordPress numbers a slug that is taken (`wp_unique_post_slug`). */
const SLUG_NUMBER = /-([2-9]|[1-9]\d{1,3})$/
const hasNumberedSlug = (slug: string): boolean => SLUG_NUMBER.test(slug)

const MAX_CANDIDATES = 50

/** The same text first, whoever has the slug that was wanted. */
async function findForgottenPost(
  { site, ledger, postType }: Delivering,
  ours: PostRecord,
  slugs: readonly string[],
): Promise<PostRecord | null> {
  const found = (await findPostsBySlug(site.client, { postType, slugs })).filter(
    (post) =>
      post.id < ours.id && post.status !== 'trash' && post.author === ours.author && post.content !== '',
  )
  const same = found.filter((post) => textHash(post) === textHash(ours))
  const changed = found.filter((post) => post.title === ours.title && keepsMostLines(ours, post))
  for (const post of [...same, ...changed])
    if (!(await isPostOfOtherDelivery(ledger.pool, ledger.id, post, postType))) return post
  return null
}

const isUnchangedSince = (now: PostRecord, left: PostRecord): boolean =>
  now.slug === left.slug &&
  now.modifiedGmt === left.modifiedGmt &&
  now.status === left.status &&
  now.author === left.author &&
  textHash(now) === textHash(left)
