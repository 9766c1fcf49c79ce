import { GalleyError } from '../../errors.ts'
import { withoutTags } from '../../render/escape.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import { deletePost, findPostsByMarker, getPost, reservePost } from '../../wordpress/posts/index.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { answeredOf } from '../answered.ts'
import { type Delivering, postMarker } from '../delivering.ts'
import { fingerprint } from '../fingerprint.ts'
import { heldForDeletion, heldForReplacement, heldForTrash } from '../held.ts'
import { FencedOff } from '../ledger.ts'
import { nothingLeft, renamed } from '../replaced.ts'
import type { Answered, LedgerPatch } from '../row.ts'

/**
 * Makes sure that exactly one post stands for this document and site, and that the ledger knows it
 * (design.md, "Exactly one post"): the post recorded earlier, or one that carries the marker, or a new draft
 * that holds a title and the marker as its slug.
 *
 * @throws GalleyError held where a person has trashed or deleted the post, or where another has its number
 */
export async function reserve(delivering: Delivering): Promise<PostRecord> {
  const { row, ledger } = delivering
  delivering.step = 'reserve'
  if (row.post_id !== null) return known(delivering, row.post_id)
  const again = row.reserve_intent_at !== null
  // An earlier attempt may have made a post whose answer never came, or may be making it still: WordPress finishes
  // what it has begun, whether anybody listens or not. That one is looked for later (tidy.ts).
  const suspicion = again ? { ambiguous_at: new Date() } : {}
  if (again) {
    const left = await adoptFromAnyType(delivering, suspicion)
    if (left !== null) return left
  }
  await ledger.note('reserve', 'intended', null, {
    reserve_intent_at: new Date(),
    post_type: delivering.postType,
    ...suspicion,
  })
  return create(delivering)
}

/** The post an earlier attempt recorded, as it stands now. */
async function known(delivering: Delivering, id: number): Promise<PostRecord> {
  const { postType, site } = delivering
  const post = await getPost(site.client, { postType, id })
  if (post === null) throw heldForDeletion(site.name, id)
  if (post.status === 'trash') throw heldForTrash(site.name, id)
  if (await isAnother(delivering, post)) throw heldForReplacement(site.name, id)
  return post
}

/** Before anything is uploaded for it. What Galley sent and got no answer for is ours, though nothing is as it was. */
async function isAnother({ row, ledger }: Delivering, post: PostRecord): Promise<boolean> {
  const { answered, sent_hash } = row
  if (answered === null || answered.overwrite || !renamed(answered, post)) return false
  if (fingerprint(post) === sent_hash) return false
  return nothingLeft(answered, post) || (await ledger.sharesPost())
}

/** What WordPress says to a look at a type that is gone, or that this user may not edit any more. */
const CLOSED_TYPE: ReadonlySet<string> = new Set<FailureCode>([
  'rest_route_missing',
  'field_refused',
  'rights_missing',
])

/** Looks in the type of the earlier attempt first, and then in that which the site's settings name since. */
async function adoptFromAnyType(delivering: Delivering, suspicion: LedgerPatch): Promise<PostRecord | null> {
  const wanted = delivering.site.settings.post_type
  if (delivering.postType === wanted) return adopt(delivering, suspicion)
  const left = await adopt(delivering, suspicion).catch((error: unknown) => {
    if (error instanceof GalleyError && CLOSED_TYPE.has(error.code)) return null
    throw error
  })
  if (left !== null) return left
  delivering.postType = wanted
  return adopt(delivering, suspicion)
}

/** The post that carries the marker, recorded as ours; null where there is none. */
async function adopt(delivering: Delivering, suspicion: LedgerPatch): Promise<PostRecord | null> {
  const { row, site, ledger, postType } = delivering
  const marker = postMarker(row.document_id)
  const found = await findPostsByMarker(site.client, { postType, marker })
  const post = found.find(({ status }) => status === 'trash') ?? found.find(({ slug }) => slug === marker)
  if (post === undefined) return null
  const answered = { ...answeredOf(post), ...UNTOUCHED }
  await ledger.note('reserve', 'adopted', `post ${post.id}`, {
    ...record(delivering, post),
    answered,
    ...suspicion,
  })
  if (post.status === 'trash') throw heldForTrash(site.name, post.id)
  return post
}

/** A reserve as Galley makes it. What an adopted post holds beyond this, a person has put there. */
const UNTOUCHED = {
  content: '',
  excerpt: '',
  tags: [],
  featuredMedia: 0,
  status: 'draft',
} satisfies Partial<Answered>

async function create(delivering: Delivering): Promise<PostRecord> {
  const { row, writer, document, ledger, postType } = delivering
  const marker = postMarker(row.document_id)
  const post = await reservePost(writer, { postType, title: withoutTags(document.title), marker })
  if (post.slug !== marker) return yieldToFirst(delivering, post)
  try {
    await ledger.note('reserve', 'created', `post ${post.id}`, record(delivering, post))
  } catch (error) {
    if (error instanceof FencedOff) await removeUnlessAdopted(delivering, post)
    throw error
  }
  return post
}

/**
 * WordPress keeps slugs unique, so another slug than the marker means that someone else was first: ours goes,
 * theirs is adopted.
 */
async function yieldToFirst(delivering: Delivering, ours: PostRecord): Promise<PostRecord> {
  const { site, row, postType } = delivering
  const marker = postMarker(row.document_id)
  await deletePost(site.client, { postType, id: ours.id })
  const theirs = await adopt(delivering, { ambiguous_at: new Date() })
  if (theirs !== null) return theirs
  throw new GalleyError({
    code: 'marker_taken',
    message: `Something on ${site.name} that the connected user may not see has the slug ${marker}. Look for it as an administrator and remove it, then retry this delivery.`,
    whose: 'delivery',
    action: 'owner',
  })
}

/**
 * We made a post and then learned that another worker holds the delivery. If it works on our post, all is
 * well; if it has one of its own, ours must go. If it has none yet, it will find ours by the marker.
 */
async function removeUnlessAdopted({ ledger, site, postType }: Delivering, ours: PostRecord): Promise<void> {
  const current = await ledger.currentPostId()
  if (current !== null && current !== ours.id) await deletePost(site.client, { postType, id: ours.id })
}

const record = ({ site, postType }: Delivering, post: PostRecord) => ({
  post_id: post.id,
  post_type: postType,
  post_url: post.link,
  post_edit_url: `${site.url}/wp-admin/post.php?post=${post.id}&action=edit`,
  post_status: post.status,
  answered: answeredOf(post),
})
