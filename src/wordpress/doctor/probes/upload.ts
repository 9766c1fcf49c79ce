import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import { findMediaByMarker, type MediaUpload } from '../../media/index.ts'
import type { MediaRecord } from '../../types.ts'
import { fromFailure, ok, warning } from '../finding.ts'
import type { Finding } from '../types.ts'
import { type SampleFile, sampleTypes, sampleUpload } from './files.ts'
import type { LeftBehind } from './left-behind.ts'
import { checkCopy, uploadCopy } from './same-file.ts'
import { type Uploaded, uploadBriefly } from './temporary-file.ts'
import { anotherFile, checkFiles, checkTypes, type Refusals } from './upload-findings.ts'

interface Probe {
  marker: string
  /** Whether the library is asked for a list. */
  lists: boolean
}

interface UploadResult {
  findings: Finding[]
  leftBehind: LeftBehind[]
  /** Whether a picture was taken. */
  upload: boolean
  /** Whether each answer to an upload was about that upload. */
  ownAnswers: boolean
}

interface Tried extends Uploaded<Uploaded> {
  type: SampleFile
  upload: MediaUpload
}

/** Uploads the smallest file of each type that documents bring, one of them twice, and removes them again. */
export async function probeUpload(client: WordPressClient, probe: Probe): Promise<UploadResult> {
  const tried = await uploadEach(client, probe)
  const [png] = tried
  const copy = png?.whileThere
  const all = copy === undefined ? tried : [...tried, copy]
  const leftBehind = all.flatMap((each) => each.leftBehind)
  if (png === undefined || png.refusal !== null)
    return {
      findings: png?.refusal ? [notTaken(png.refusal)] : [],
      leftBehind,
      upload: false,
      ownAnswers: true,
    }

  const firstId = png.answered?.id ?? 0
  const another = tried.filter(({ answered, isOurs }) => answered !== null && !isOurs)
  // Of other bytes too: then no plugin has compared them.
  const isCached = another.some(({ answered }) => answered?.id === firstId)
  const same = copy === undefined || isCached ? null : checkCopy(copy, firstId)
  // Of the other types each check uploads the same bytes: one that is under way beside this may have been first.
  const keepsOnce = same !== null && copy?.refusal === null && !copy.isOurs
  const ownAnswers = keepsOnce || (another.length === 0 && (copy === undefined || same !== null))
  const seen = tried.flatMap(({ file, isOurs, ...each }) =>
    file !== null && isOurs ? [{ ...each, file }] : [],
  )
  const { unread } = png
  return {
    findings: [
      ok('right_to_upload', 'A picture was uploaded.', 'Pictures are added to the media library.'),
      ...(ownAnswers ? [checkTypes(refusalsOf(tried), seen)] : []),
      ...(same === null ? [] : [same]),
      ...(ownAnswers ? (seen.length > 0 ? [checkFiles(seen)] : []) : [anotherFile()]),
      ...(probe.lists || unread !== null ? [await checkLibrary(client, unread, png.upload.marker)] : []),
    ],
    leftBehind,
    upload: true,
    ownAnswers,
  }
}

async function uploadEach(client: WordPressClient, { marker, lists }: Probe): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const type of sampleTypes) {
    const upload = sampleUpload(type, `${marker}-${type}`)
    const ownIds = tried.flatMap(({ answered, isOurs }) => (answered !== null && isOurs ? [answered.id] : []))
    const again = (file: MediaRecord) => uploadCopy(client, upload, file)
    const whileThere = lists && type === 'png' ? again : undefined
    const one = await uploadBriefly({ client, lists }, upload, ownIds, whileThere)
    tried.push({ type, upload, ...one })
    // What is refused, or cannot be known again, will be so of the others: none of them is to be left behind.
    if (type === 'png' && !one.isOurs) break
  }
  return tried
}

const refusalsOf = (tried: readonly Tried[]): Refusals =>
  Object.fromEntries(tried.flatMap(({ type, refusal }) => (refusal === null ? [] : [[type, refusal]])))

const notTaken = (refusal: GalleyError): Finding =>
  fromFailure(
    'right_to_upload',
    refusal,
    'Pictures stay at their remote address, or the delivery is held, as the site’s settings say.',
    refusal.fault === 'owner' ? 'warning' : 'problem',
  )

/** Plugins close the library to some roles that may upload all the same. */
async function checkLibrary(
  client: WordPressClient,
  unread: GalleyError | null,
  marker: string,
): Promise<Finding> {
  const todo =
    'Let Galley’s user read the media library over the REST API: find the plugin whose words these are, and exempt that user there.'
  if (unread !== null) {
    const means =
      'Files are uploaded. A newer version of a document with files is held, since Galley cannot look whether they are still there.'
    return unread.fault === 'owner'
      ? warning('media_library', failureTextOf(unread).happened, means, todo)
      : fromFailure('media_library', unread, means, 'warning')
  }
  try {
    await findMediaByMarker(client, marker)
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const means =
      'Files are uploaded. Where the answer to an upload is lost, Galley cannot look for the file, and the document is held.'
    return error.fault === 'owner'
      ? warning('media_library', failureTextOf(error).happened, means, todo)
      : fromFailure('media_library', error, means, 'warning')
  }
  return ok(
    'media_library',
    'Files of the media library can be looked up.',
    'None is uploaded twice, whatever answer is lost.',
  )
}
