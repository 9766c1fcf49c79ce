import type { WordPressClient } from '../client/index.ts'
import { numberedSlugsOf, slugsOf } from '../posts/marker.ts'
import { bySlugs, PER_PAGE } from '../slugs.ts'
import type { MediaRecord } from '../types.ts'
import { MEDIA_QUERY } from './query.ts'
import { readFiles } from './read.ts'

/** The oldest attachment with this marker as its slug, or `null`; looked up with the user that uploaded it. */
export async function findMediaByMarker(
  client: WordPressClient,
  marker: string,
): Promise<MediaRecord | null> {
  const [oldest] = await client.traffic.gather('files by marker', marker, (markers) =>
    bySlugs(markers, slugsOf, (slugs) => findMedia(client, slugs)),
  )
  return oldest ?? null
}

/** The attachments with a marker as their slug, or with the marker and a number, since slugs are unique. */
export const findMediaVariants = (client: WordPressClient, marker: string): Promise<MediaRecord[]> =>
  findMedia(client, numberedSlugsOf(marker))

/** The attachments of a post, the oldest first (at most 100): another way to one's own where slugs do not last. */
export async function findMediaOfPost(client: WordPressClient, postId: number): Promise<MediaRecord[]> {
  const files = await readFiles(client, {
    path: '/wp/v2/media',
    query: {
      parent: postId,
      status: 'inherit,private',
      ...MEDIA_QUERY,
      orderby: 'id',
      order: 'asc',
      per_page: 100,
    },
    doing: 'looking for the files of a post',
    subject: 'media',
  })
  return files.filter(({ post }) => post === postId)
}

async function findMedia(client: WordPressClient, slugs: readonly string[]): Promise<MediaRecord[]> {
  const files = await readFiles(client, {
    path: '/wp/v2/media',
    query: {
      slug: slugs.join(),
      status: 'inherit,private,trash',
      ...MEDIA_QUERY,
      orderby: 'id',
      order: 'asc',
      per_page: PER_PAGE,
    },
    doing: 'looking for a file in the media library',
    subject: 'media',
  })
  return files.filter((file) => slugs.includes(file.slug))
}
