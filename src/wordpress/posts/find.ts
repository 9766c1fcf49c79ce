import { read, type WordPressClient } from '../client/index.ts'
import { listOf } from '../fields.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { numberedSlugsOf, slugsOf } from './marker.ts'
import { type PostRoute, route } from './requests.ts'
import { statusesOf, unfinished } from './statuses.ts'

/**
 * The posts that carry a marker, the oldest first, in every status and also when trashed. An author or a
 * contributor is shown only what that user may edit, so it is looked up with the user that created it.
 */
export const findPostsByMarker = (
  client: WordPressClient,
  { postType, marker }: PostRoute & { marker: string },
): Promise<PostRecord[]> => findPosts(client, postType, slugsOf(marker))

/** The posts with a marker as their slug, or with the marker and the number by which WordPress tells slugs apart. */
export const findPostVariants = (
  client: WordPressClient,
  { postType, marker }: PostRoute & { marker: string },
): Promise<PostRecord[]> => findPosts(client, postType, numberedSlugsOf(marker))

/**
 * The newest drafts whose title holds these words, for sites where slugs do not last (at most 20). Which of them is
 * whose, the caller has to prove.
 */
export async function findDraftsByTitle(
  client: WordPressClient,
  { postType, title }: PostRoute & { title: string },
): Promise<PostRecord[]> {
  const statuses = unfinished(await statusesOf(client, { postType }))
  if (statuses.length === 0) return []
  const { value } = await read(client, listOf(postSchema), {
    path: route({ postType }),
    query: {
      search: title,
      status: statuses.join(),
      context: 'edit',
      orderby: 'id',
      order: 'desc',
      per_page: 20,
    },
    doing: 'looking for the post by its title',
    subject: 'post',
  })
  return value
}

async function findPosts(client: WordPressClient, postType: string, slug: string): Promise<PostRecord[]> {
  const statuses = await statusesOf(client, { postType })
  const { value } = await read(client, listOf(postSchema), {
    path: route({ postType }),
    query: {
      slug,
      status: [...statuses, 'trash'].join(),
      context: 'edit',
      orderby: 'id',
      order: 'asc',
      per_page: 100,
    },
    doing: 'looking for the post',
    subject: 'post',
  })
  // Some plugins ignore parameters they do not know, and then answer other posts.
  const wanted = new Set(slug.split(','))
  return value.filter((post) => wanted.has(post.slug))
}
