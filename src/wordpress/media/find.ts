import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { numberedSlugsOf, slugsOf } from '../posts/marker.ts'
import { mediaSchema } from '../records.ts'
import type { MediaRecord } from '../types.ts'

/** The oldest attachment with this marker as its slug, or `null`; looked up with the user that uploaded it. */
export async function findMediaByMarker(
  client: WordPressClient,
  marker: string,
): Promise<MediaRecord | null> {
  const [oldest] = await findMedia(client, slugsOf(marker))
  return oldest ?? null
}

/** The attachments with a marker as their slug, or with the marker and a number, since slugs are unique. */
export const findMediaVariants = (client: WordPressClient, marker: string): Promise<MediaRecord[]> =>
  findMedia(client, numberedSlugsOf(marker))

async function findMedia(client: WordPressClient, slug: string): Promise<MediaRecord[]> {
  const { value } = await read(client, z.array(mediaSchema), {
    path: '/wp/v2/media',
    query: {
      slug,
      status: 'inherit,private,trash',
      context: 'edit',
      orderby: 'id',
      order: 'asc',
    },
    doing: 'looking for a file in the media library',
    subject: 'media',
  })
  return value
}
