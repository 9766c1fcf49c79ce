import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { deleteMedia, findMediaByMarker, getMedia, type MediaUpload, uploadMedia } from '../../media/index.ts'
import { deletePost, findPostsByMarker, getPost, isTitleOf } from '../../posts/index.ts'
import type { MediaRecord } from '../../types.ts'

/** What a probe could not take away again, in words. */
export type LeftBehind = string[]

/** How the title of every draft begins that a probe makes. */
export const PROBE_TITLE = 'Galley connection check'

/** Of one of them: some plugins refuse two posts with one title. */
export const probeTitle = (marker: string): string => `${PROBE_TITLE} ${marker.slice(-16)}`

interface Draft {
  postType: string
  marker: string
  /** Where it is known; a failed answer may hide a draft that was made. */
  id: number | undefined
}

export function removeDraft(client: WordPressClient, { postType, marker, id }: Draft): Promise<LeftBehind> {
  return remove(`a draft with the slug ${marker}`, async () => {
    const known = id === undefined ? null : await getPost(client, { postType, id })
    const found = known === null ? await findPostsByMarker(client, { postType, marker }) : [known]
    // An answer from a cache may have named somebody else's post.
    for (const post of found.filter(
      ({ slug, title }) => slug.startsWith(marker) || isTitleOf(title, PROBE_TITLE),
    ))
      await deletePost(client, { postType, id: post.id })
  })
}

/** Uploads a file and deletes it again, also where a failed answer hides that it is there. */
export async function uploadBriefly(
  client: WordPressClient,
  upload: MediaUpload,
): Promise<{ refusal: GalleyError | null; file: MediaRecord | null; leftBehind: LeftBehind }> {
  const what = `a file with the slug ${upload.marker}`
  try {
    const { id } = await uploadMedia(client, upload)
    const file = await getMedia(client, { id })
    const ours = file !== null && isProbe(file, upload)
    return {
      refusal: null,
      file,
      leftBehind: ours ? await remove(what, () => deleteMedia(client, { id })) : [],
    }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    if (error.action !== 'ambiguous') return { refusal: error, file: null, leftBehind: [] }
    const leftBehind = await remove(what, async () => {
      const hidden = await findMediaByMarker(client, upload.marker)
      if (hidden) await deleteMedia(client, { id: hidden.id })
    })
    return { refusal: error, file: null, leftBehind }
  }
}

/** An answer from a cache may name somebody else's file. */
const isProbe = ({ slug, sourceUrl }: MediaRecord, { marker }: MediaUpload): boolean =>
  slug.startsWith(marker) || sourceUrl.includes(marker)

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
