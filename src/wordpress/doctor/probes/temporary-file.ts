import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { deleteMedia, findMediaByMarker, getMedia, type MediaUpload, uploadMedia } from '../../media/index.ts'
import type { MediaRecord } from '../../types.ts'
import { type LeftBehind, removeOrTell, unrecognised } from './left-behind.ts'

/** A file that was uploaded and removed. */
export interface Uploaded<WhileThere = undefined> {
  refusal: GalleyError | null
  /** What the upload was answered with; null where it was refused. */
  answered: MediaRecord | null
  /** The same as it was seen in the library, or where nobody may look as it was answered; null where it was gone. */
  file: MediaRecord | null
  /** Whether that is proven to be the file that was uploaded. */
  isOurs: boolean
  /** What the site has against looking at it. */
  unread: GalleyError | null
  leftBehind: LeftBehind[]
  /** What was done while it was there; left out where nothing was to be done, or it is not ours. */
  whileThere?: WhileThere
}

interface Site {
  client: WordPressClient
  /** Whether the library is asked for a list after a clean answer: not where a cache would keep it. */
  lists: boolean
}

/**
 * Uploads a file and deletes it again, also where a failed answer hides that it is there. Nothing is deleted that is not
 * proven to be that file.
 *
 * @param ownIds attachments that are known to be the check's own: an answer that names one of them hides nothing
 */
export async function uploadBriefly<WhileThere = undefined>(
  { client, lists }: Site,
  upload: MediaUpload,
  ownIds: readonly number[] = [],
  whileThere?: (file: MediaRecord) => Promise<WhileThere>,
): Promise<Uploaded<WhileThere>> {
  const what = `a file with the slug ${upload.marker}`
  const asked = { ...upload, altText: upload.marker }
  const answer = await uploadMedia(client, asked).catch(asFailure)
  if (answer instanceof GalleyError) {
    const leftBehind =
      answer.action === 'ambiguous'
        ? await removeOrTell(what, async () => {
            const hidden = await findMediaByMarker(client, upload.marker)
            if (hidden !== null) await deleteMedia(client, { id: hidden.id })
            return []
          })
        : []
    return { refusal: answer, answered: null, file: null, isOurs: false, unread: null, leftBehind }
  }
  const look = await getMedia(client, { id: answer.id }).catch(asFailure)
  const unread = look instanceof GalleyError ? look : null
  const file = look instanceof GalleyError ? answer : look
  const isOurs = isProbe(file ?? answer, upload)
  const done =
    file !== null && isOurs && whileThere !== undefined ? { whileThere: await whileThere(file) } : {}
  const leftBehind = await removeOrTell(what, async () => {
    // An answer that names somebody else's may hide that ours was made.
    const ours = isOurs ? file : lists ? await findShown(client, upload) : null
    if (ours !== null) await deleteMedia(client, { id: ours.id })
    else if (file !== null && !ownIds.includes(file.id)) return [unrecognised(nameOf(file))]
    return []
  })
  return { refusal: null, answered: answer, file, isOurs, unread, leftBehind, ...done }
}

/** A library that this user may not list shows nothing. */
async function findShown(client: WordPressClient, { marker }: MediaUpload): Promise<MediaRecord | null> {
  try {
    return await findMediaByMarker(client, marker)
  } catch (error) {
    if (error instanceof GalleyError && error.fault === 'owner') return null
    throw error
  }
}

function asFailure(error: unknown): GalleyError {
  if (error instanceof GalleyError) return error
  throw error
}

/** Nobody else knows the marker: whatever has it is the probe's own. A plugin may keep any one of the three. */
const isProbe = ({ slug, sourceUrl, altText }: MediaRecord, { marker }: MediaUpload): boolean =>
  slug.startsWith(marker) || sourceUrl.includes(marker) || altText === marker

const nameOf = ({ id, sourceUrl }: MediaRecord): string => `file ${id} (${sourceUrl.split('/').at(-1)})`
