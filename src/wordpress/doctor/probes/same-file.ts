import type { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import type { MediaUpload } from '../../media/index.ts'
import type { MediaRecord } from '../../types.ts'
import { fromFailure, ok, warning } from '../finding.ts'
import type { Finding } from '../types.ts'
import { type Uploaded, uploadBriefly } from './temporary-file.ts'

/** Uploads the bytes of a picture that is in the library once more, under another name, and removes it again. */
export const uploadCopy = (
  client: WordPressClient,
  { marker, ...upload }: MediaUpload,
  first: MediaRecord,
): Promise<Uploaded> => {
  const copy = `${marker.slice(0, marker.lastIndexOf('-'))}-copy`
  return uploadBriefly({ client, lists: true }, { ...upload, marker: copy, fileName: `${copy}.png` }, [
    first.id,
  ])
}

/**
 * What a plugin makes of two files with the same content.
 *
 * @returns null where the answer was neither the copy nor the first: then it tells nothing of this
 */
export function checkCopy({ refusal, answered, isOurs }: Uploaded, firstId: number): Finding | null {
  if (refusal !== null) return refused(refusal)
  if (isOurs)
    return ok(
      'same_files',
      'The same picture, uploaded twice, became two files.',
      'Each document has files of its own.',
    )
  return answered?.id === firstId ? keptOnce : null
}

const keptOnce = warning(
  'same_files',
  'A plugin keeps each file only once: when the same picture was uploaded a second time, the site stored nothing new and answered with the first.',
  'A document whose picture is in the media library already, from another document or from a person, is held: Galley does not use a file that belongs to somebody else, since whoever changes or deletes it would change both posts.',
  'Exclude uploads over the REST API from the plugin that removes duplicates from the media library, or send each document with a picture of its own.',
)

const UNKNOWN = 'Whether the same picture can be stored twice, this check cannot tell.'

const refused = (refusal: GalleyError): Finding =>
  refusal.fault === 'site'
    ? fromFailure('same_files', refusal, UNKNOWN, 'warning')
    : warning(
        'same_files',
        `The site took a picture, and refused the same one when it was uploaded a second time. ${failureTextOf(refusal).happened}`,
        'A document whose picture is in the media library already, from another document or from a person, keeps it at its remote address, or is held, as the site’s settings say.',
        'Exclude uploads over the REST API from the plugin that refuses duplicates, or send each document with a picture of its own.',
      )
