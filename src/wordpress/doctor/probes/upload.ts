import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import { findMediaByMarker, type MediaUpload } from '../../media/index.ts'
import type { MediaRecord } from '../../types.ts'
import { type Finding, findingFromFailure, ok, problem, warning } from '../report.ts'
import type { Leftover } from './leftovers.ts'
import {
  type ProbedUpload,
  type SampleFile,
  sampleFiles,
  sampleTypes,
  sampleUpload,
  uploadAndRemove,
} from './temporary-file.ts'

interface UploadProbe {
  marker: string
  /** Whether the library is asked for a list. */
  lists: boolean
}

interface UploadResult {
  findings: Finding[]
  leftBehind: Leftover[]
  /** Whether a picture was taken. */
  upload: boolean
  /** Whether each answer to an upload was about that upload. */
  ownAnswers: boolean
}

interface UploadAttempt extends ProbedUpload<ProbedUpload> {
  type: SampleFile
  upload: MediaUpload
}

/** Uploads the smallest file of each type that documents bring, one of them twice, and removes them again. */
export async function probeUpload(client: WordPressClient, probe: UploadProbe): Promise<UploadResult> {
  const tried = await uploadEach(client, probe)
  const [png] = tried
  const copy = png?.whileThere
  const all = copy === undefined ? tried : [...tried, copy]
  const leftBehind = all.flatMap((each) => each.leftBehind)
  if (png === undefined || png.refusal !== null)
    return {
      findings: png?.refusal ? [uploadsRefusedFinding(png.refusal)] : [],
      leftBehind,
      upload: false,
      ownAnswers: true,
    }

  const firstId = png.answered?.id ?? 0
  const another = tried.filter(({ answered, isOurs }) => answered !== null && !isOurs)
  // Of other bytes too: then no plugin has compared them.
  const isCached = another.some(({ answered }) => answered?.id === firstId)
  const same = copy === undefined || isCached ? null : checkDuplicate(copy, firstId)
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
      ...(ownAnswers ? (seen.length > 0 ? [checkFiles(seen)] : []) : [foreignFileFinding()]),
      ...(probe.lists || unread !== null ? [await checkLibrary(client, unread, png.upload.marker)] : []),
    ],
    leftBehind,
    upload: true,
    ownAnswers,
  }
}

async function uploadEach(client: WordPressClient, { marker, lists }: UploadProbe): Promise<UploadAttempt[]> {
  const tried: UploadAttempt[] = []
  for (const type of sampleTypes) {
    const upload = sampleUpload(type, `${marker}-${type}`)
    const ownIds = tried.flatMap(({ answered, isOurs }) => (answered !== null && isOurs ? [answered.id] : []))
    const again = (file: MediaRecord) => uploadDuplicate(client, upload, file)
    const whileThere = lists && type === 'png' ? again : undefined
    const one = await uploadAndRemove({ client, lists }, upload, ownIds, whileThere)
    tried.push({ type, upload, ...one })
    // What is refused, or cannot be known again, will be so of the others: none of them is to be left behind.
    if (type === 'png' && !one.isOurs) break
  }
  return tried
}

const refusalsOf = (tried: readonly UploadAttempt[]): UploadRefusals =>
  Object.fromEntries(tried.flatMap(({ type, refusal }) => (refusal === null ? [] : [[type, refusal]])))

const uploadsRefusedFinding = (refusal: GalleyError): Finding =>
  findingFromFailure(
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
      : findingFromFailure('media_library', unread, means, 'warning')
  }
  try {
    await findMediaByMarker(client, marker)
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const means =
      'Files are uploaded. Where the answer to an upload is lost, Galley cannot look for the file, and the document is held.'
    return error.fault === 'owner'
      ? warning('media_library', failureTextOf(error).happened, means, todo)
      : findingFromFailure('media_library', error, means, 'warning')
  }
  return ok(
    'media_library',
    'Files of the media library can be looked up.',
    'None is uploaded twice, whatever answer is lost.',
  )
}

/** Uploads the bytes of a picture that is in the library once more, under another name, and removes it again. */
const uploadDuplicate = (
  client: WordPressClient,
  { marker, ...upload }: MediaUpload,
  first: MediaRecord,
): Promise<ProbedUpload> => {
  const copy = `${marker.slice(0, marker.lastIndexOf('-'))}-copy`
  return uploadAndRemove({ client, lists: true }, { ...upload, marker: copy, fileName: `${copy}.png` }, [
    first.id,
  ])
}

/**
 * What a plugin makes of two files with the same content.
 *
 * @returns null where the answer was neither the copy nor the first: then it tells nothing of this
 */
function checkDuplicate({ refusal, answered, isOurs }: ProbedUpload, firstId: number): Finding | null {
  if (refusal !== null) return refusedDuplicateFinding(refusal)
  if (isOurs)
    return ok(
      'same_files',
      'The same picture, uploaded twice, became two files.',
      'Each document has files of its own.',
    )
  return answered?.id === firstId ? keptOnceFinding : null
}

const keptOnceFinding = warning(
  'same_files',
  'A plugin keeps each file only once: when the same picture was uploaded a second time, the site stored nothing new and answered with the first.',
  'A document whose picture is in the media library already, from another document or from a person, is held: Galley does not use a file that belongs to somebody else, since whoever changes or deletes it would change both posts.',
  'Exclude uploads over the REST API from the plugin that removes duplicates from the media library, or send each document with a picture of its own.',
)

const UNKNOWN_DUPLICATES = 'Whether the same picture can be stored twice, this check cannot tell.'

const refusedDuplicateFinding = (refusal: GalleyError): Finding =>
  refusal.fault === 'site'
    ? findingFromFailure('same_files', refusal, UNKNOWN_DUPLICATES, 'warning')
    : warning(
        'same_files',
        `The site took a picture, and refused the same one when it was uploaded a second time. ${failureTextOf(refusal).happened}`,
        'A document whose picture is in the media library already, from another document or from a person, keeps it at its remote address, or is held, as the site’s settings say.',
        'Exclude uploads over the REST API from the plugin that refuses duplicates, or send each document with a picture of its own.',
      )

/** A file of one type that was uploaded, and how it was seen in the library. */
interface ObservedFile {
  type: SampleFile
  upload: MediaUpload
  file: MediaRecord
}

/** The answer to an upload showed a file that is none of ours. */
const foreignFileFinding = (): Finding =>
  problem(
    'file_slugs',
    'The answer to an upload names another file: something on the site caches answers of the REST API, or renames files.',
    'Pictures would be mixed up, so Galley holds documents instead of trusting such answers.',
    'Exclude /wp-json/ from what caching plugins, the web server or the CDN keep; exclude uploads over the REST API from plugins that rename files.',
  )

/** By slug and name Galley finds an upload again whose answer was lost; where both are changed, by its alternative text. */
function checkFiles(seen: readonly ObservedFile[]): Finding {
  const changed = seen.filter(({ file, upload }) => file.slug !== upload.marker)
  const hidden = changed.filter(({ file, upload }) => !isKnown(file, upload))
  if (hidden[0] !== undefined)
    return warning(
      'file_slugs',
      `Plugins give ${fileList(hidden, seen)} both another name and another slug (it became ${nameOf(hidden[0].file)}, “${hidden[0].file.slug}”).`,
      'Galley knows such a file by its alternative text and its post instead. One without alternative text is known by its content alone: where that is changed too, the document is held, and where the answer to its upload is lost, a second file stays in the library.',
      'Nothing needs to be done where every picture has alternative text. Else exclude uploads over the REST API from the plugin that renames files or from the one that changes slugs: one of the two is enough. Disable Media Pages is known to change slugs.',
    )
  if (changed[0] !== undefined)
    return warning(
      'file_slugs',
      `A plugin changes the slug that ${fileList(changed, seen)} is given (it became “${changed[0].file.slug}”).`,
      'An upload whose answer is lost is found again by its file name and its post instead.',
      'Nothing needs to be done; Disable Media Pages is known to do this.',
    )
  return ok(
    'file_slugs',
    'A file keeps the slug that it is given.',
    'An upload whose answer is lost is found again by it.',
  )
}

const nameOf = ({ sourceUrl }: MediaRecord): string => sourceUrl.split('/').at(-1) ?? ''

/** As a delivery knows its own. */
const isKnown = (file: MediaRecord, { marker }: MediaUpload): boolean =>
  file.slug.startsWith(marker) || nameOf(file).startsWith(marker)

const fileList = (some: readonly ObservedFile[], all: readonly ObservedFile[]): string =>
  some.length === all.length ? 'a file' : `a ${namesOf(some.map(({ type }) => type)).join(' or ')} file`

const namesOf = (types: readonly SampleFile[]): string[] => types.map((type) => sampleFiles[type].name)

type UploadRefusals = Partial<Record<SampleFile, GalleyError>>

/** Which types the site takes, and what it makes of them. */
function checkTypes(refusals: UploadRefusals, seen: readonly ObservedFile[]): Finding {
  const refused = Object.keys(refusals) as SampleFile[]
  const [first] = Object.values(refusals)
  if (first !== undefined) {
    const names = namesOf(refused).join(' or ')
    if (first.fault === 'site')
      return findingFromFailure(
        'media_types',
        first,
        `Whether the site accepts ${names} files, this check cannot tell.`,
        'warning',
      )
    return warning(
      'media_types',
      `The site does not accept ${names} files. ${failureTextOf(first).happened}`,
      'A document with such a file keeps it at its remote address, or is held.',
      'Allow the type in WordPress, on a multisite under Network Settings → Upload file types. If WordPress says that the web server cannot process such pictures, PHP’s image library (GD or Imagick) has to support them.',
    )
  }
  const converted = seen.filter(({ file, upload }) => file.mimeType !== upload.mimeType)
  const accepted = `${namesOf(seen.map(({ type }) => type)).join(', ')} files are accepted`
  if (converted.length === 0)
    return ok('media_types', `${accepted}.`, 'Pictures and narration can be stored.')
  const pairs = converted.map(({ type, file }) => `${sampleFiles[type].name} to ${file.mimeType}`)
  return ok(
    'media_types',
    `${accepted}; a plugin converts some of them (${pairs.join(', ')}).`,
    `Posts show pictures as the plugin leaves them.${converted.some(({ type }) => type === 'gif') ? ' Whether an animated GIF still moves then, this check cannot tell.' : ''}`,
  )
}
