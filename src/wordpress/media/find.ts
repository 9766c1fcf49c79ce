import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { mediaSchema } from '../records.ts'
import type { MediaRecord } from '../types.ts'

/** The oldest attachment with this marker as its slug, or `null`; looked up with the user that uploaded it. */
export async function findMediaByMarker(
  client: WordPressClient,
  marker: string,
): Promise<MediaRecord | null> {
  const { value } = await read(client, z.array(mediaSchema), {
    path: '/wp/v2/media',
    query: {
      slug: `${marker},${marker}__trashed`,
      status: 'inherit,private,trash',
      context: 'edit',
      orderby: 'id',
      order: 'asc',
    },
    doing: 'looking for a file in the media library',
    subject: 'media',
  })
  return value[0] ?? null
}
