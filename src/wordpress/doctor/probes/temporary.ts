import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { deleteMedia, findMediaByMarker } from '../../media/index.ts'
import { deletePost, findPostsByMarker } from '../../posts/index.ts'

/** What a probe could not take away again, in words. */
export type LeftBehind = string[]

/** Deletes whatever carries the marker, also what a failed answer hid. */
export function removeDrafts(client: WordPressClient, postType: string, marker: string): Promise<LeftBehind> {
  return attempt(`a draft with the slug ${marker}`, async () => {
    for (const { id } of await findPostsByMarker(client, { postType, marker })) {
      await deletePost(client, { postType, id })
    }
  })
}

/** Deletes the attachment that carries the marker. */
export function removeFile(client: WordPressClient, marker: string): Promise<LeftBehind> {
  return attempt(`a file with the slug ${marker}`, async () => {
    for (
      let media = await findMediaByMarker(client, marker);
      media;
      media = await findMediaByMarker(client, marker)
    ) {
      await deleteMedia(client, { id: media.id })
    }
  })
}

/** A firewall that blocked the probe may block the next request too; one more try is worth it. */
async function attempt(what: string, remove: () => Promise<void>, tries = 2): Promise<LeftBehind> {
  try {
    await remove()
    return []
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return tries > 1 ? attempt(what, remove, tries - 1) : [`${what} (${error.code})`]
  }
}
