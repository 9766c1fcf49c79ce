import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'

/** Deletes the attachment and its files for good. One that is not there any more counts as deleted. */
export async function deleteMedia(client: WordPressClient, { id }: { id: number }): Promise<void> {
  try {
    await client.request({
      method: 'DELETE',
      path: `/wp/v2/media/${id}`,
      query: { force: true },
      doing: 'deleting a file of the media library',
      subject: 'media',
    })
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'media_gone') return
    throw error
  }
}
