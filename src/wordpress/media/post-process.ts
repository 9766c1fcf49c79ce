import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import type { MediaRecord } from '../types.ts'
import { MEDIA_QUERY } from './query.ts'
import { readFile } from './read.ts'
import { getMedia } from './requests.ts'

/** Each round makes the sub-sizes that memory or time did not reach in the one before. */
const MAX_ROUNDS = 5

/** The attachment that a failed upload left, which WordPress names in `X-WP-Upload-Attachment-ID`. */
export function attachmentOf({ details }: GalleyError): number | undefined {
  if (typeof details !== 'object' || details === null || !('attachmentId' in details)) return undefined
  return typeof details.attachmentId === 'number' ? details.attachmentId : undefined
}

/**
 * Lets WordPress finish an attachment, as the block editor does. One whose sub-sizes cannot be made is
 * adopted all the same: the picture is in the library, in its full size.
 */
export async function adopt(client: WordPressClient, id: number, fileName: string): Promise<MediaRecord> {
  for (let round = 1; ; round++) {
    try {
      return await readFile(client, {
        method: 'POST',
        path: `/wp/v2/media/${id}/post-process`,
        query: MEDIA_QUERY,
        data: { action: 'create-image-subsizes' },
        doing: `finishing ${fileName}`,
        subject: 'media',
        timeoutMs: 120_000,
      })
    } catch (error) {
      if (!(error instanceof GalleyError) || error.fault !== 'site') throw error
      if (round < MAX_ROUNDS) continue
      const media = await getMedia(client, { id })
      if (media) return media
      throw error
    }
  }
}
