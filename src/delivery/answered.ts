import type { PostFields, PostRecord } from '../wordpress/types.ts'
import type { Answered } from './row.ts'

/** What of WordPress's answer is kept, to tell a person's change from our own. */
export const answeredOf = (post: PostRecord): Answered => ({
  title: post.title,
  content: post.content,
  excerpt: post.excerpt,
  categories: post.categories,
  tags: post.tags,
  featuredMedia: post.featuredMedia,
  slug: post.slug,
  status: post.status,
  modifiedGmt: post.modifiedGmt,
})

/** A request that filled a post, or would have changed nothing of it. */
export interface Filled {
  sent: PostFields
  /** As the document asks, of which a status that stood already was not sent. */
  wanted: PostFields
  post: PostRecord
}

/**
 * What is remembered after a fill. Of a field that was not sent it stays what Galley left there last: what a person has
 * decided is theirs for every later version too, and not only for the next.
 */
export function remembered(before: Answered | null, { sent, wanted, post }: Filled): Answered {
  const now = answeredOf(post)
  if (before === null) return now
  const { modifiedGmt: _, overwrite: __, ...left } = before
  const set = { ...sent, ...(wanted.status === post.status && { status: post.status }) }
  const unset = Object.entries(left).filter(([field]) => set[field as keyof typeof left] === undefined)
  return { ...now, ...Object.fromEntries(unset) }
}

/** One field that a person has changed: an excerpt of what Galley left there and of what stands there now. */
export interface ChangedField {
  field: string
  galley: string
  site: string
}

/** What a person has changed of the text since `before`. */
export const changedText = (before: Answered, now: PostRecord): ChangedField[] =>
  (['title', 'content', 'excerpt'] as const)
    .filter((field) => before[field] !== now[field])
    .map((field) => ({ field, ...difference(before[field], now[field]) }))

/**
 * What a person has changed since `before` besides the text, of that which `wanted` would set otherwise. Status and slug
 * are not among it: to publish a draft is what a draft is for, and WordPress renames its slug on the way.
 */
export function changedTermsAndImage(before: Answered, now: PostRecord, wanted: PostFields): ChangedField[] {
  const ids = (post: Pick<PostFields, 'categories' | 'tags' | 'featuredMedia'>) => [
    { field: 'categories', ids: post.categories },
    { field: 'tags', ids: post.tags },
    { field: 'featured image', ids: post.featuredMedia === undefined ? undefined : [post.featuredMedia] },
  ]
  const [ours, theirs] = [ids(before), ids(now)]
  return ids(wanted).flatMap(({ field, ids: asked }, n) => {
    const [galley = [], site = []] = [ours[n]?.ids, theirs[n]?.ids]
    if (asked === undefined || sameIds(galley, site) || sameIds(asked, site)) return []
    return [{ field, galley: galley.join(', '), site: site.join(', ') }]
  })
}

/**
 * Whether nothing of `before` is left: not the title, not the address, and no line of the text. WordPress then has another
 * post of this number: it was restored from a backup and counts anew, or another WordPress answers at the address.
 */
export function nothingLeft(before: Answered, now: PostRecord): boolean {
  const fields = ['title', 'slug', 'content'] as const
  if (fields.some((field) => before[field] !== '' && before[field] === now[field])) return false
  const is = new Set(linesOf(now.content))
  return !linesOf(before.content).some((line) => is.has(line))
}

/** What a reader sees of each line of a post's markup. */
const linesOf = (markup: string): string[] =>
  markup
    .replace(/<[^>]*>/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export const sameIds = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join()

/** Characters shown of each side, and how many of them lead up to the first one that differs. */
const EXCERPT = 120
const LEAD = 30

/** Both texts from shortly before the place where they part. */
function difference(ours: string, theirs: string): Pick<ChangedField, 'galley' | 'site'> {
  let same = 0
  while (same < ours.length && ours[same] === theirs[same]) same += 1
  const excerpt = (text: string) => {
    const from = Math.max(0, same - LEAD)
    const shown = text.slice(from, from + EXCERPT)
    return `${from > 0 ? '…' : ''}${shown}${from + EXCERPT < text.length ? '…' : ''}`
  }
  return { galley: excerpt(ours), site: excerpt(theirs) }
}
