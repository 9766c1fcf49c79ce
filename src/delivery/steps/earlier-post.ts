import { deletePost, findPostsBySlug, getPost } from '../../wordpress/posts/index.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { fingerprint } from '../conflicts/fingerprint.ts'
import { heldForChange } from '../conflicts/holds.ts'
import { mostLeft } from '../conflicts/identity.ts'
import { changedText, snapshotOf } from '../conflicts/snapshot.ts'
import type { Snapshot } from '../ledger/row.ts'
import type { Delivering } from './context.ts'
import { record } from './post-record.ts'
import type { FilledPost } from './verify.ts'

// A database that was put back to an earlier day has forgotten deliveries, and the marker of their posts went with the
// fill. What is left to know them by: WordPress keeps slugs unique, so the second post of a document gets a number.

/**
 * Where the post just filled got a numbered slug, looks at who has the one that was wanted. A post of the same user with
 * the same text is what this document was delivered to before: it is this delivery's from now on, and the new one goes,
 * after a fresh look has proven that it is as this attempt left it. So it is with one whose text somebody has changed
 * since, which is then held. Anything else is somebody's, and stays, and so does ours.
 *
 * @returns the earlier post; null where there is none
 * @throws GalleyError held where somebody has changed it
 */
export async function adoptEarlier(
  delivering: Delivering,
  { sent, post: ours }: FilledPost,
): Promise<PostRecord | null> {
  const { row, site, ledger, postType } = delivering
  const slugs = row.delivered_event_id === null ? slugsBefore(ours, sent) : []
  if (slugs.length === 0) return null
  const earlier = await findEarlier(delivering, ours, slugs)
  if (earlier === null) return null
  const now = await getPost(site.client, { postType, id: ours.id })
  if (now === null || !isUntouched(now, ours)) return null
  const left: Snapshot = { ...snapshotOf(ours), slug: earlier.slug }
  await ledger.record(
    'reserve',
    'adopted',
    `post ${earlier.id}, which this document was delivered to before`,
    {
      ...record(delivering, earlier),
      answered: { ...left, duplicate: ours.id },
    },
  )
  await deletePost(site.client, { postType, id: ours.id })
  ledger.defer('reserve', 'removed', `post ${ours.id}, which this attempt had made`, { answered: left })
  const changes = changedText(left, earlier)
  if (changes.length > 0) throw heldForChange(site.name, earlier.id, changes)
  return earlier
}

/** What an attempt was about to remove when its process ended, if it is still what that one left. */
export async function removeDuplicate({ row, site, ledger, postType }: Delivering): Promise<void> {
  const { duplicate, ...left } = row.answered ?? {}
  if (duplicate === undefined || duplicate === row.post_id) return
  const post = await getPost(site.client, { postType, id: duplicate })
  if (post !== null && isNumbered(post.slug) && fingerprint(post) === fingerprint(left as Snapshot))
    await deletePost(site.client, { postType, id: duplicate })
  ledger.defer('reserve', 'removed', `post ${duplicate}, which an earlier attempt had made`, {
    answered: left as Snapshot,
  })
}

/** `title-3` → `title`, `title-2`; nothing where the slug is what was asked for. */
function slugsBefore({ slug, title }: PostRecord, sent: FilledPost['sent']): string[] {
  if (sent.slug === undefined || sent.slug === slug || slug === plainSlug(title) || !isNumbered(slug))
    return []
  const base = slug.replace(NUMBER, '')
  const number = Number(NUMBER.exec(slug)?.[1])
  const between = Array.from({ length: Math.min(number, MOST) - 2 }, (_, n) => `${base}-${number - 1 - n}`)
  return [base, ...between]
}

/** As WordPress numbers a slug that is taken (`wp_unique_post_slug`). */
const NUMBER = /-([2-9]|[1-9]\d{1,3})$/
const isNumbered = (slug: string): boolean => NUMBER.test(slug)

/** Slugs that are looked at, of a title that many posts have. */
const MOST = 50

/** The slug of a title of plain letters and figures: one that ends in a number of its own is not asked about. */
const plainSlug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** The same text first, whoever has the slug that was wanted. */
async function findEarlier(
  { site, ledger, postType }: Delivering,
  ours: PostRecord,
  slugs: readonly string[],
): Promise<PostRecord | null> {
  const found = (await findPostsBySlug(site.client, { postType, slugs })).filter(
    (post) =>
      post.id < ours.id && post.status !== 'trash' && post.author === ours.author && post.content !== '',
  )
  const same = found.filter((post) => fingerprint(post) === fingerprint(ours))
  const changed = found.filter((post) => post.title === ours.title && mostLeft(ours, post))
  for (const post of [...same, ...changed]) if (!(await ledger.isPostOfAnother(post, postType))) return post
  return null
}

const isUntouched = (now: PostRecord, left: PostRecord): boolean =>
  now.slug === left.slug &&
  now.modifiedGmt === left.modifiedGmt &&
  now.status === left.status &&
  now.author === left.author &&
  fingerprint(now) === fingerprint(left)
