import { read, type WordPressClient } from '../client/index.ts'
import { mediaSchema } from '../records.ts'
import type { MediaRecord } from '../types.ts'
import type { MediaFields } from './types.ts'

export async function updateMedia(
  client: WordPressClient,
  { id, fields: { altText, postId, ...fields } }: { id: number; fields: MediaFields },
): Promise<MediaRecord> {
  const { value } = await read(client, mediaSchema, {
    method: 'POST',
    path: `/wp/v2/media/${id}`,
    query: { context: 'edit' },
    data: {
      ...fields,
      ...(altText === undefined ? {} : { alt_text: altText }),
      ...(postId === undefined ? {} : { post: postId }),
    },
    doing: 'describing a file of the media library',
    subject: 'media',
  })
  return value
}
