import { __, _n, sprintf } from '@wordpress/i18n'
import type { Delivery } from '../api/client.ts'
import { countOf } from './bulk/words.ts'
import { withNumber } from './format.ts'
import { postStatusInWords } from './post-words.ts'
import { clock, useAgo } from './time.tsx'

type Post = NonNullable<Delivery['post']>

/** How a post stands in WordPress, and who made it so, as far as that is known. */
export function PostState({ post }: { post: Post }) {
  const { status, modified_at, modified_by, publish_at, seen_at } = post
  const ago = useAgo({ modified: modified_at, published: publish_at, seen: seen_at })
  if (status === 'trash') return <>{trashed(modified_by, ago.modified || ago.seen)}</>
  const isOfPublisher = modified_at !== null && isSameMoment(modified_at, publish_at)
  if (status === 'publish' && isOfPublisher) return <>{published(modified_by, ago.published)}</>
  const changed = modified_at !== null && sentenceOfChange(modified_by, ago.modified)
  return <>{[stateOf(post, ago.published), changed].filter(Boolean).join(' · ')}</>
}

/** Who published a post sets both times; a change that comes later is another one's. */
const isSameMoment = (modified: string, publishedAt: string | null): boolean =>
  Math.abs(Date.parse(modified) - Date.parse(publishedAt ?? '')) < 60_000

function stateOf({ status, publish_at }: Post, ago: string): string {
  if (status === 'publish' && publish_at !== null) return published(null, ago)
  if (status === 'draft') return __('Draft, waits for review', 'galley')
  if (status !== 'future' || publish_at === null) return postStatusInWords(status ?? '')
  return Date.parse(publish_at) > Date.now()
    ? // translators: %s: a time of day, or a date with it
      sprintf(__('Scheduled for %s', 'galley'), clock(publish_at))
    : // translators: %s: how long ago, such as 2 hours ago
      sprintf(__('Due %s, and still scheduled', 'galley'), ago)
}

/** @param ago such as `2 hours ago` */
function published(by: string | null, ago: string): string {
  // translators: %s: how long ago, such as 2 hours ago
  if (by === null) return sprintf(__('Published %s', 'galley'), ago)
  // translators: 1: the name of a person. 2: how long ago, such as 2 hours ago
  return sprintf(__('Published by %1$s, %2$s', 'galley'), by, ago)
}

function sentenceOfChange(by: string | null, ago: string): string {
  // translators: %s: how long ago, such as 2 hours ago
  if (by === null) return sprintf(__('Changed %s', 'galley'), ago)
  // translators: 1: the name of a person. 2: how long ago, such as 2 hours ago
  return sprintf(__('Changed by %1$s, %2$s', 'galley'), by, ago)
}

function trashed(by: string | null, ago: string): string {
  // translators: %s: how long ago, such as 2 hours ago
  if (by === null) return sprintf(__('Moved to the trash %s', 'galley'), ago)
  // translators: 1: the name of a person. 2: how long ago, such as 2 hours ago
  return sprintf(__('Moved to the trash by %1$s, %2$s', 'galley'), by, ago)
}

/** How many posts wait for review, on how many sites. */
export const reviewInWords = (posts: number, sites: number): string =>
  sprintf(
    // translators: 1: a number of posts, such as 14 posts. 2: a number of sites, such as 6 sites
    _n('%1$s on %2$s waits for review', '%1$s on %2$s wait for review', posts, 'galley'),
    // translators: %d: a number of posts
    withNumber(_n('%d post', '%d posts', posts, 'galley'), posts),
    countOf('sites', sites),
  )
