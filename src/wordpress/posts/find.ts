import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { EVERY_STATUS, slugsOf } from './marker.ts'
import { type PostType, route } from './route.ts'

/**
 * The posts that carry a marker, the oldest first, in every status and also when trashed. An author or a
 * contributor is shown only what that user may edit, so it is looked up with the user that created it.
 */
export async function findPostsByMarker(
  client: WordPressClient,
  { postType, marker }: PostType & { marker: string },
): Promise<PostRecord[]> {
  const { value } = await read(client, z.array(postSchema), {
    path: route({ postType }),
    query: {
      slug: slugsOf(marker),
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
