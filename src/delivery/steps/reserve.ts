import { GalleyError, type Warning } from '../../errors.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import type { FailureCode } from '../../wordpress/failures/catalogue.ts'
import { wordPressFailure } from '../../wordpress/failures/classify.ts'
import {
  deletePost,
  fetchTimedPost,
  findPostsByMarker,
  getPost,
  unfinishedStatuses,
} from '../../wordpress/posts/find.ts'
import { fillPost, isEmptyPost, reservePost } from '../../wordpress/posts/write.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { heldForReplacement, heldForTrash } from '../holds.ts'
import { LeaseLostError } from '../ledger/ledger.ts'
import { hasCompetitor, postMarker } from '../ledger/ownership.ts'
import type { LedgerPatch, Snapshot } from '../ledger/state.ts'
import { isRenamed, overwriteAllowed, sharesNoLine, snapshotOf, textHash } from '../post-snapshot.ts'
import {
  assertNotBeingRemoved,
  type Delivering,
  loadStandingPost,
  type ObservedPost,
  observedPost,
  postPatch,
  reservedTitle,
  stale,
} from './context.ts'
import { findOwnPostByTitle, isAsCreated, likelyOwnPost, provenOwnPost, removeDuplicate } from './own-post.ts'

/**
 * Makes sure that exactly one post stands for this document and site, and that the ledger knows it (docs/architecture.md, "Invariants"):
 * the recorded one, one that carries the marker, or a new draft that holds a title and the marker as its slug.
 * @throws GalleyError held where a person has trashed or deleted the post, or where another has its number
 */
export async function reserve(delivering: Delivering): Promise<ObservedPost> {
  const { row, ledger } = delivering
  delivering.progress.step = 'reserve'
  if (row.post_id !== null) return loadKnownPost(delivering, row.post_id)
  const again = row.reserve_intent_at !== null
  // What an earlier attempt is making still is looked for later (maintenance/orphans.ts).
  const suspicion = again ? { ambiguous_at: ledger.now() } : {}
  if (again) {
    const left =
      (await adoptFromOtherTypes(delivering, suspicion)) ?? (await adoptByTitle(delivering, suspicion))
    if (left !== null) return stale(left)
  }
  await ledger.record('reserve', 'intended', null, {
    reserve_intent_at: ledger.now(),
    post_type: delivering.postType,
    ...suspicion,
  })
  // Each intends before it looks, so that of two that come upon an abandoned post one sees the other.
  const left = !again && row.abandoned_sites.length > 0 ? await adopt(delivering, {}) : null
  return left === null ? createReserved(delivering, !again) : stale(left)
}

async function loadKnownPost(delivering: Delivering, id: number): Promise<ObservedPost> {
  await removeDuplicate(delivering)
  await restoreWithdrawn(delivering, id)
  const asked = monotonicNow()
  const post = await loadStandingPost(delivering, id)
  if (await isDifferentPost(delivering, post)) throw heldForReplacement(delivering.site.name, id)
  return observedPost(delivering, post, { seen: 'seen', asked })
}

/** Whether a trashed post is in the trash by a withdrawal, be it that its answer was lost. */
export const isWithdrawnToTrash = ({ answered }: Pick<Delivering['row'], 'answered'>): boolean =>
  answered?.status === 'trash' || answered?.asked?.status === 'trash'

/** Takes a post out of the trash where Galley has moved it there; one that a person has trashed since its last write stays. */
async function restoreWithdrawn({ row, site, ledger, writer, postType }: Delivering, id: number) {
  const { answered } = row
  if (answered === null || !isWithdrawnToTrash(row)) return
  if ((await getPost(site.client, { postType, id }))?.status !== 'trash') return
  const asked = { status: 'draft' } as const
  await ledger.record('reserve', 'restoring', `post ${id}`, {
    answered: { ...answered, status: 'trash', asked },
  })
  const { status, slug } = await fillPost(writer, { postType, id, fields: asked })
  const { asked: _, ...left } = answered
  await ledger.record('reserve', 'restored', `post ${id}`, {
    post_status: status,
    answered: { ...left, status, slug },
  })
}

/** Before anything is uploaded for it. What Galley sent and got no answer for is ours, though nothing is as it was. */
export async function isDifferentPost({ row, ledger }: Pick<Delivering, 'row' | 'ledger'>, post: PostRecord) {
  const { answered, sent_hash } = row
  if (answered === null || overwriteAllowed(row) || !isRenamed(answered, post)) return false
  if (textHash(post) === sent_hash) return false
  return sharesNoLine(answered, post) || (await ledger.sharesPost())
}

/** WordPress's errors for a post type that is gone or that the user may no longer edit. */
const POST_TYPE_UNAVAILABLE: ReadonlySet<string> = new Set<FailureCode>([
  'rest_route_missing',
  'field_refused',
  'rights_missing',
])

async function adoptFromOtherTypes(delivering: Delivering, suspicion: LedgerPatch) {
  const wanted = delivering.wantedType
  if (delivering.postType === wanted) return adopt(delivering, suspicion)
  const left = await adopt(delivering, suspicion).catch((error: unknown) => {
    if (error instanceof GalleyError && POST_TYPE_UNAVAILABLE.has(error.code)) return null
    throw error
  })
  if (left !== null) return left
  delivering.postType = wanted
  return adopt(delivering, suspicion)
}

/** An earlier attempt's post where the marker does not last, recorded as ours. @throws `marker_taken` where it may be another's */
async function adoptByTitle(delivering: Delivering, suspicion: LedgerPatch): Promise<PostRecord | null> {
  const { ledger, site, postType } = delivering
  const post = await findOwnPostByTitle(delivering)
  if (post === null) return null
  if (await hasCompetitor(ledger.pool, ledger.id, post, postType)) throw titleUsedByCompetitor(site.name)
  await ledger.record('reserve', 'adopted', `post ${post.id}, known by its title`, {
    ...postPatch(delivering, post),
    ...suspicion,
  })
  delivering.warnings.push(slugRewritten(site.name))
  return post
}

/** The post with a marker that is this delivery's, recorded as ours, if any. @throws `marker_taken` while it is being removed */
async function adopt(delivering: Delivering, suspicion: LedgerPatch): Promise<PostRecord | null> {
  const marked = await findMarked(delivering)
  return marked && adoptMarked(delivering, marked, suspicion)
}

/** What carries the marker of this delivery; or that of one which its site began under an id that it no longer has. */
async function findMarked({ row, site, postType, ledger }: Delivering): Promise<PostRecord | null> {
  const markers = [row.site_id, ...row.abandoned_sites].map((site_id) => postMarker({ ...row, site_id }))
  const lookUp = (marker: string) => findPostsByMarker(site.client, { postType, marker })
  const [own = null, ...abandoned] = (await Promise.all(markers.map(lookUp))).map(
    (posts, n) =>
      posts.find(({ status }) => status === 'trash') ?? posts.find(({ slug }) => slug === markers[n]) ?? null,
  )
  if (own !== null) return own
  for (const post of abandoned)
    if (post !== null && !(await hasCompetitor(ledger.pool, ledger.id, post, postType))) return post
  return null
}

async function adoptMarked(delivering: Delivering, post: PostRecord, suspicion: LedgerPatch) {
  const { site, ledger } = delivering
  await assertNotBeingRemoved(delivering, { kind: 'post', id: post.id }, post.slug)
  const left = { ...snapshotOf(post), status: statusAsReserved(post) }
  const answered = (await isUntouched(delivering, post)) ? left : { ...left, ...UNTOUCHED }
  await ledger.record('reserve', 'adopted', `post ${post.id}`, {
    ...postPatch(delivering, post),
    answered,
    ...suspicion,
  })
  if (post.status === 'trash') throw heldForTrash(site.name, post.id)
  return post
}

/** Whether all that is in a post was put there as it was made: by Galley, or by a plugin with a template. */
async function isUntouched(delivering: Delivering, post: PostRecord): Promise<boolean> {
  if (isEmptyPost(post)) return true
  if (post.status === 'trash') return false
  const { site, postType } = delivering
  const look = await fetchTimedPost(site.client, { postType, id: post.id })
  return look?.post.modifiedGmt === post.modifiedGmt && isAsCreated(delivering, look)
}

/** A new reserve. A person added whatever else an adopted post holds. */
const UNTOUCHED = { content: '', excerpt: '', tags: [], featuredMedia: 0 } satisfies Partial<Snapshot>

/** Editorial plugins give a new draft a status of their own; what is further than that, a person has done. */
const statusAsReserved = ({ status }: PostRecord): PostRecord['status'] =>
  unfinishedStatuses([status]).length > 0 ? status : 'draft'

/**
 * Makes the post. After an unclear answer what it has left is looked for at once, and only where nothing stands it is made again.
 * @param first no earlier attempt can have made a post
 */
async function createReserved(delivering: Delivering, first: boolean): Promise<ObservedPost> {
  const { ledger, site } = delivering
  const marker = postMarker(delivering.row)
  for (let tries = 1; ; tries++) {
    const asked = monotonicNow()
    const answer = await reserveWithFallback(delivering, marker, first && tries === 1).catch(
      async (error) => {
        if (!provesNothingMade(error) && (await site.client.traffic.again(error, tries))) return null
        throw error
      },
    )
    if (answer !== null) return recordReserved(delivering, answer, { marker, asked })
    const suspicion = { ambiguous_at: ledger.now() }
    const left = (await adopt(delivering, suspicion)) ?? (await adoptByTitle(delivering, suspicion))
    if (left !== null) return stale(left)
    await ledger.record('reserve', 'intended', 'again', suspicion)
  }
}

async function recordReserved(
  delivering: Delivering,
  answer: PostRecord,
  { marker, asked }: { marker: string; asked: number },
): Promise<ObservedPost> {
  const { row, ledger } = delivering
  try {
    const made =
      answer.slug === marker
        ? observedPost(delivering, answer, { seen: 'made', asked })
        : stale(await postUnderOtherSlug(delivering, answer))
    if (row.post_id === null)
      await ledger.record('reserve', 'created', `post ${made.post.id}`, postPatch(delivering, made.post))
    return made
  } catch (error) {
    if (error instanceof LeaseLostError) await removeLatePost(delivering, answer.id)
    throw error
  }
}

/** We made a post after another process took the delivery over. It goes, unless that one has none yet, or somebody may have ours. */
async function removeLatePost(delivering: Delivering, id: number): Promise<void> {
  const { ledger, site, postType } = delivering
  const { post_id: theirs } = await ledger.stored()
  if (theirs === null || theirs === id) return
  const ours = await provenOwnPost(delivering, id)
  if (ours === null || (await hasCompetitor(ledger.pool, ledger.id, ours, postType))) return
  await deletePost(site.client, { postType, id })
  await ledger.recordLate('reserve', 'removed', `post ${id}, which was made a second time`)
}

/** Either nothing has left Galley, or whoever answered did so before anything was made. */
const provesNothingMade = (error: unknown): boolean =>
  error instanceof GalleyError && error.action !== 'ambiguous'

/** With the marker as its slug; where a plugin crashes over that and left no draft, the marker is set afterwards. */
async function reserveWithFallback(delivering: Delivering, marker: string, first: boolean) {
  const { ledger, writer, site, document, postType } = delivering
  const author = site.authorId
  const wanted = {
    postType,
    title: reservedTitle(document),
    language: delivering.language,
    ...(author !== null && { author }),
  }
  try {
    return await reservePost(writer, { ...wanted, marker })
  } catch (error) {
    // So that it may still go to another site.
    if (first && provesNothingMade(error))
      ledger.defer('reserve', 'refused', 'nothing was made', { reserve_intent_at: null })
    const crashed = error instanceof GalleyError && error.code === 'php_fatal_error'
    // One that crashed in a batch has to crash alone before its marker is blamed; one that was not sent has not crashed.
    if (!crashed || provesNothingMade(error) || !site.client.traffic.isOfOne(error)) throw error
    const left =
      (await findPostsByMarker(site.client, { postType, marker }))[0] ??
      (await findOwnPostByTitle(delivering))
    // The next attempt finds this post by its marker.
    if (left !== null) throw error
    const post = await reservePost(writer, { ...wanted, marker: null })
    if ((await likelyOwnPost(delivering, post.id)) === null) throw answeredWithOtherPost(site.name, post)
    return fillPost(writer, { postType, id: post.id, fields: { slug: marker } })
  }
}

/**
 * WordPress keeps slugs unique, so another slug than the marker means that an earlier attempt was first: its post is adopted,
 * and ours goes, once it is proven to be ours. Or that a plugin rewrites slugs: then the post is known by its number alone. Or
 * that the answer is another post's, from a cache: then nothing is touched.
 * @throws GalleyError `marker_taken`, `answer_of_another`
 */
async function postUnderOtherSlug(delivering: Delivering, answer: PostRecord): Promise<PostRecord> {
  const { site, ledger, postType, warnings } = delivering
  const marker = postMarker(delivering.row)
  const ours = await provenOwnPost(delivering, answer.id)
  const left = await findMarked(delivering)
  if (left !== null) {
    const theirs = await adoptMarked(delivering, left, { ambiguous_at: ledger.now() })
    if (ours !== null && ours.id !== theirs.id) {
      await deletePost(site.client, { postType, id: ours.id })
      ledger.defer('reserve', 'removed', `post ${ours.id}, which was made a second time`)
    }
    return theirs
  }
  if (ours === null) {
    const likely = await likelyOwnPost(delivering, answer.id)
    // A number behind the marker may be WordPress's: then somebody has the marker, and one that is only likely ours stays.
    if (likely === null || hasNumberedMarker(likely, marker)) throw answeredWithOtherPost(site.name, answer)
    warnings.push(slugRewritten(site.name))
    return likely
  }
  if (!hasNumberedMarker(ours, marker)) {
    warnings.push(slugRewritten(site.name))
    return ours
  }
  await deletePost(site.client, { postType, id: ours.id })
  ledger.defer('reserve', 'removed', `post ${ours.id}, which could not have the slug ${marker}`)
  throw new GalleyError({
    code: 'marker_taken',
    message: `Something on ${site.name} that the connected user is not allowed to see has the slug ${marker}. Look for it as an administrator and remove it, then retry this delivery.`,
    fault: 'delivery',
    action: 'owner',
  })
}

/** As `wp_unique_post_slug` numbers a taken slug, from 2; whatever else stands behind it, a plugin put there. */
const hasNumberedMarker = ({ slug, id }: PostRecord, marker: string): boolean =>
  slug === marker ||
  (slug !== `${marker}-${id}` &&
    slug.startsWith(`${marker}-`) &&
    /^\d{1,2}$/.test(slug.slice(marker.length + 1)))

const answeredWithOtherPost = (site: string, { id }: PostRecord): GalleyError =>
  wordPressFailure(
    'answer_of_another',
    { site, method: 'POST', doing: 'reserving the post' },
    { found: `post ${id}, which is not the one that was asked for` },
  )

/** Milliseconds within which two that were in each other's way come back, or each would find the other under way again. */
const COMPETITOR_DELAY_MS = 15_000

const titleUsedByCompetitor = (site: string): GalleyError =>
  new GalleyError({
    code: 'marker_taken',
    retryAfterMs: Math.random() * COMPETITOR_DELAY_MS,
    message: `Another delivery of this document to ${site}, for another user or account, has not got past reserving its post yet, and a plugin there rewrites the slugs that tell the two apart. Galley tries this one again by itself; if this stays so, look what holds the other one up.`,
    fault: 'delivery',
    action: 'retry',
  })

const slugRewritten = (site: string): Warning => ({
  code: 'slug_rewritten',
  message: `A plugin on ${site} rewrites the slugs of posts, so Galley cannot mark the post while it works on it. It goes by the post's title and time instead; if a request to the site is cut off, check that the post is there once only.`,
})
