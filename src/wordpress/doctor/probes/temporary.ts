import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { deleteMedia, findMediaByMarker, type MediaUpload, uploadMedia } from '../../media/index.ts'
import { deletePost, findPostsByMarker } from '../../posts/index.ts'

/** What a probe could not take away again, in words. */
export type LeftBehind = string[]

interface Draft {
  postType: string
  marker: string
  /** Where it is known; a failed answer may hide a draft that was made. */
  id: number | undefined
}

export function removeDraft(client: WordPressClient, { postType, marker, id }: Draft): Promise<LeftBehind> {
  return remove(`a draft with the slug ${marker}`, async () => {
    const ids =
      id === undefined ? (await findPostsByMarker(client, { postType, marker })).map((post) => post.id) : [id]
    for (const each of ids) await deletePost(client, { postType, id: each })
  })
}

/** Uploads a file and deletes it again, also where a failed answer hides that it is there. */
export async function uploadBriefly(
  client: WordPressClient,
  upload: MediaUpload,
): Promise<{ refusal: GalleyError | null; leftBehind: LeftBehind }> {
  const what = `a file with the slug ${upload.marker}`
  try {
    const { id } = await uploadMedia(client, upload)
    return { refusal: null, leftBehind: await remove(what, () => deleteMedia(client, { id })) }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    if (error.action !== 'ambiguous') return { refusal: error, leftBehind: [] }
    const leftBehind = await remove(what, async () => {
      const hidden = await findMediaByMarker(client, upload.marker)
      if (hidden) await deleteMedia(client, { id: hidden.id })
    })
    return { refusal: error, leftBehind }
  }
}

/** A firewall that blocked the probe may block the next request too; one more try is worth it. */
async function remove(what: string, act: () => Promise<void>, tries = 2): Promise<LeftBehind> {
  try {
    await act()
    return []
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return tries > 1 ? remove(what, act, tries - 1) : [`${what} (${error.code})`]
  }
}
