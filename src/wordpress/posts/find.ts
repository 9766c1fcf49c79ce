import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { EVERY_STATUS, numberedSlugsOf, slugsOf } from './marker.ts'
import { type PostRoute, route } from './route.ts'

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

async function findPosts(client: WordPressClient, postType: string, slug: string): Promise<PostRecord[]> {
  const { value } = await read(client, z.array(postSchema), {
    path: route({ postType }),
    query: {
      slug,
      status: EVERY_STATUS,
      context: 'edit',
      orderby: 'id',
      order: 'asc',
      per_page: 100,
    },
    doing: 'looking for the post',
    subject: 'post',
  })
  return value
}
