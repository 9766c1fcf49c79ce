import { GalleyError } from '../../errors.ts'
import { type Multipart, multipart, type WordPressClient } from '../client/index.ts'
import type { MediaRecord } from '../types.ts'
import { adopt, attachmentOf } from './post-process.ts'
import { MEDIA_QUERY } from './query.ts'
import { readFile } from './read.ts'
import type { MediaUpload } from './types.ts'

/**
 * Puts a file into the media library with everything about it, in one request: WordPress keeps the file name
 * and takes the marker as the slug. Where the server fails after the attachment exists, most often because
 * making the sub-sizes ran out of memory, WordPress says which attachment it was, and that one is finished.
 */
export async function uploadMedia(client: WordPressClient, upload: MediaUpload): Promise<MediaRecord> {
  try {
    return await readFile(client, {
      method: 'POST',
      path: '/wp/v2/media',
      query: MEDIA_QUERY,
      form: formOf(upload),
      doing: `uploading ${upload.fileName}`,
      subject: 'media',
    })
  } catch (error) {
    const id = error instanceof GalleyError ? attachmentOf(error) : undefined
    if (id === undefined) throw error
    return adopt(client, id, upload.fileName)
  }
}

const formOf = ({
  bytes,
  mimeType,
  fileName,
  marker,
  title,
  altText,
  caption,
  postId,
}: MediaUpload): Multipart =>
  multipart(
    { slug: marker, title, alt_text: altText, caption, post: postId?.toString() },
    { field: 'file', name: fileName, mimeType, bytes },
  )
