import type { PostFields, PostRecord } from '../wordpress/types.ts'
import type { Answered, Asked } from './row.ts'

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
  /** The post right before it. */
  stood: PostRecord
  post: PostRecord
}

/** What a person may change of a post. */
const FIELDS = [
  'title',
  'content',
  'excerpt',
  'categories',
  'tags',
  'featuredMedia',
  'slug',
  'status',
] as const

/**
 * What is remembered after a fill: WordPress's answer, but for what a person had changed and Galley did not. Of that it
 * stays what Galley left there last, so that it is a person's for every later version too, and not only for the next.
 */
export function remembered(left: Answered | null, { sent, stood, post }: Filled): Answered {
  const now = answeredOf(post)
  if (left === null) return now
  const theirs = FIELDS.filter((field) => sent[field] === undefined && !same(left[field], stood[field]))
  const kept = theirs.map((field) => [field, field === 'status' ? null : left[field]])
  return { ...now, ...Object.fromEntries(kept) }
}

/**
 * With what WordPress would have answered to the last fill, as far as it was sent and stands though no answer came; null
 * where nothing of the kind does. To be learned before anything else is sent, by which alone it is known to be ours.
 *
 * @param textStands whether the text that was sent last is that of the post
 */
export function answeredUnheard(left: Answered, post: PostRecord, textStands: boolean): Answered | null {
  const { asked = {}, ...heard } = left
  const text = textStands ? (['title', 'content', 'excerpt', 'slug'] as const) : []
  const others = FIELDS.filter((field) => field in asked && same(asked[field as keyof Asked], post[field]))
  const news = [...text, ...others].filter((field) => !same(heard[field], post[field]))
  if (news.length === 0) return null
  return { ...heard, ...Object.fromEntries(news.map((field) => [field, post[field]])) }
}

type Value = string | number | readonly number[] | null | undefined

const same = (a: Value, b: Value): boolean => (Array.isArray(a) && Array.isArray(b) ? sameIds(a, b) : a === b)

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

/** Whether neither the title nor the address is what it was: a person wrote the post anew, or it is another one. */
export const renamed = (before: Answered, now: PostRecord): boolean =>
  (['title', 'slug'] as const).every((field) => before[field] === '' || before[field] !== now[field])

/** Whether no line of `before` is left. */
export function nothingLeft(before: Answered, now: PostRecord): boolean {
  if (before.content !== '' && before.content === now.content) return false
  const is = new Set(linesOf(now.content))
  return !linesOf(before.content).some((line) => is.has(line))
}

/** Characters of a line that two posts are not likely to share, as they do “Conclusion”. */
const TELLING = 40

/** What a reader sees of each line of a post's markup: the long ones, where there are any. */
function linesOf(markup: string): string[] {
  const text = markup.replace(/<[^>]*>/g, '')
  const lines = text.split('\n').map((line) => line.trim())
  const telling = lines.filter(({ length }) => length >= TELLING)
  return telling.length > 0 ? telling : lines.filter((line) => line !== '')
}

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
