import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import { requireOwnAnswer } from '../own-answer.ts'
import type { MediaRecord } from '../types.ts'
import { existingMedia } from './existing.ts'
import { MEDIA_QUERY } from './query.ts'
import { readFile } from './read.ts'

/** The attachment, or `null` where the library has none by this id. */
export async function getMedia(client: WordPressClient, { id }: { id: number }): Promise<MediaRecord | null> {
  const request = {
    path: `/wp/v2/media/${id}`,
    query: MEDIA_QUERY,
    doing: 'reading a file of the media library',
    subject: 'media',
  } as const
  try {
    const value = await readFile(client, request)
    requireOwnAnswer(client, request, value.id === id, `file ${value.id} instead of ${id}`)
    return value
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    if (error.code === 'media_gone') return null
    // A server that shows its own page for HTTP 404 leaves nothing of WordPress's answer.
    if (error.code === 'not_found' && !(await existingMedia(client, [id])).has(id)) return null
    throw error
  }
}

/** Deletes the attachment and its files for good. One that is not there any more counts as deleted. */
export async function deleteMedia(client: WordPressClient, { id }: { id: number }): Promise<void> {
  try {
    await client.request({
      method: 'DELETE',
      path: `/wp/v2/media/${id}`,
      query: { force: true },
      doing: 'deleting a file of the media library',
      subject: 'media',
      repeatable: true,
    })
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'media_gone') return
    throw error
  }
}
