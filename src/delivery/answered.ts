import type { PostRecord } from '../wordpress/types.ts'
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

/**
 * The fields a person has changed since `before`, by name. Status and slug are not among them: to publish a
 * draft is what a draft is for, and WordPress renames its slug on the way.
 */
export function changedFields(before: Answered, now: PostRecord): string[] {
  const text = (['title', 'content', 'excerpt'] as const).filter((field) => before[field] !== now[field])
  const terms = (['categories', 'tags'] as const).filter((field) => !sameIds(before[field], now[field]))
  const picture = before.featuredMedia === now.featuredMedia ? [] : ['featured image']
  return [...text, ...terms, ...picture]
}

const sameIds = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join()
