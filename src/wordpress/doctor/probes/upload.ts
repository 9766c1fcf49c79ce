import { asFailure, GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/client.ts'
import { failureTextOf } from '../../failures/classify.ts'
import type { MediaUpload } from '../../media/file-type.ts'
import type { MediaRecord } from '../../types.ts'
import { type Finding, line } from '../report.ts'
import type { Leftover } from './leftovers.ts'
import { findProbeFiles, type ProbeItem } from './temporary-draft.ts'
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
  /** Files of checks in the library, where it could be listed. */
  listed: ProbeItem[]
  /** Whether a picture was taken, and each answer to an upload was about that upload. */
  isSound: boolean
}

interface UploadAttempt extends ProbedUpload {
  type: SampleFile
  upload: MediaUpload
}

/** Uploads the smallest file of each type that documents bring, one of them twice, and removes them again. */
export async function probeUpload(client: WordPressClient, probe: UploadProbe): Promise<UploadResult> {
  const tried = await uploadEach(client, probe)
  const [png] = tried
  const copy = png?.copy
  const all = copy === undefined ? tried : [...tried, copy]
  const leftBehind = all.flatMap((each) => each.leftBehind)
  const nothing = { leftBehind, listed: [], isSound: false }
  if (png === undefined) return { findings: [], ...nothing }
  if (png.refusal !== null) {
    const { refusal } = png
    const means =
      'Pictures stay at their remote address, or the delivery is held, as the site’s settings say.'
    const level = refusal.fault === 'owner' ? 'warning' : 'problem'
    return { findings: [line.right_to_upload.failed(refusal, means, level)], ...nothing }
  }

  const firstId = png.answered?.id ?? 0
  const another = tried.filter(({ answered, isOurs }) => answered !== null && !isOurs)
  // Of other bytes too: then no plugin has compared them.
  const isCached = another.some(({ answered }) => answered?.id === firstId)
  const same = copy === undefined || isCached ? null : checkDuplicate(copy, firstId)
  // Of the other types each check uploads the same bytes: one that is under way beside this may have been first.
  const keepsOnce = same !== null && copy?.refusal === null && !copy.isOurs
  const isSound = keepsOnce || (another.length === 0 && (copy === undefined || same !== null))
  const seen = tried.flatMap(({ file, isOurs, ...each }) =>
    file !== null && isOurs ? [{ ...each, file }] : [],
  )
  const library = probe.lists || png.unread !== null ? await checkLibrary(client, png.unread) : null
  const findings = [
    line.right_to_upload.ok('A picture was uploaded.', 'Pictures are added to the media library.'),
    isSound ? checkTypes(tried, seen) : null,
    same,
    isSound
      ? checkFiles(seen)
      : line.file_slugs.problem(
          'The answer to an upload names another file: something on the site caches answers of the REST API, or renames files.',
          'Pictures would be mixed up, so Galley holds documents instead of trusting such answers.',
          'Exclude /wp-json/ from what caching plugins, the web server or the CDN keep; exclude uploads over the REST API from plugins that rename files.',
        ),
    library?.finding ?? null,
  ].filter((found) => found !== null)
  return { findings, leftBehind, listed: library?.listed ?? [], isSound }
}

async function uploadEach(client: WordPressClient, { marker, lists }: UploadProbe): Promise<UploadAttempt[]> {
  const tried: UploadAttempt[] = []
  for (const type of sampleTypes) {
    const upload = sampleUpload(type, `${marker}-${type}`)
    const ownIds = tried.flatMap(({ answered, isOurs }) => (answered !== null && isOurs ? [answered.id] : []))
    const again = (file: MediaRecord) => uploadDuplicate(client, upload, file)
    const repeats = lists && type === 'png' ? again : undefined
    const one = await uploadAndRemove({ client, lists }, upload, ownIds, repeats)
    tried.push({ type, upload, ...one })
    // What is refused, or cannot be known again, will be so of the others: none of them is to be left behind.
    if (type === 'png' && !one.isOurs) break
  }
  return tried
}

/** Plugins close the library to some roles that may upload all the same. */
async function checkLibrary(client: WordPressClient, unread: GalleyError | null) {
  const listed = unread ?? (await findProbeFiles(client).catch(asFailure))
  if (!(listed instanceof GalleyError)) {
    const finding = line.media_library.ok(
      'Files of the media library can be looked up.',
      'None is uploaded twice, whatever answer is lost.',
    )
    return { finding, listed }
  }
  const finding = line.media_library.refused(
    listed,
    unread === null
      ? 'Files are uploaded. Where the answer to an upload is lost, Galley cannot look for the file, and the document is held.'
      : 'Files are uploaded. A newer version of a document with files is held, since Galley cannot look whether they are still there.',
    'Let Galley’s user read the media library over the REST API: find the plugin whose words these are, and exempt that user there.',
  )
  return { finding, listed: [] }
}

/** Uploads the bytes of a picture that is in the library once more, under another name, and removes it again. */
const uploadDuplicate = (client: WordPressClient, { marker, ...upload }: MediaUpload, first: MediaRecord) => {
  const copy = `${marker.slice(0, marker.lastIndexOf('-'))}-copy`
  return uploadAndRemove({ client, lists: true }, { ...upload, marker: copy, fileName: `${copy}.png` }, [
    first.id,
  ])
}

/** What a plugin makes of two files with one content; null where the answer tells nothing of it. */
function checkDuplicate({ refusal, answered, isOurs }: ProbedUpload, firstId: number): Finding | null {
  if (refusal?.fault === 'site') {
    const means = 'Whether the same picture can be stored twice, this check cannot tell.'
    return line.same_files.failed(refusal, means, 'warning')
  }
  if (refusal !== null)
    return line.same_files.warning(
      `The site took a picture, and refused the same one when it was uploaded a second time. ${failureTextOf(refusal).happened}`,
      'A document whose picture is in the media library already, from another document or from a person, keeps it at its remote address, or is held, as the site’s settings say.',
      'Exclude uploads over the REST API from the plugin that refuses duplicates, or send each document with a picture of its own.',
    )
  if (isOurs)
    return line.same_files.ok(
      'The same picture, uploaded twice, became two files.',
      'Each document has files of its own.',
    )
  if (answered?.id !== firstId) return null
  return line.same_files.warning(
    'A plugin keeps each file only once: when the same picture was uploaded a second time, the site stored nothing new and answered with the first.',
    'A document whose picture is in the media library already, from another document or from a person, is held: Galley does not use a file that belongs to somebody else, since whoever changes or deletes it would change both posts.',
    'Exclude uploads over the REST API from the plugin that removes duplicates from the media library, or send each document with a picture of its own.',
  )
}

type ObservedFile = Pick<UploadAttempt, 'type' | 'upload'> & { file: MediaRecord }

/** By slug and name Galley finds an upload again whose answer was lost; where both are changed, by its alternative text. */
function checkFiles(seen: readonly ObservedFile[]): Finding | null {
  if (seen.length === 0) return null
  const changed = seen.filter(({ file, upload }) => file.slug !== upload.marker)
  const hidden = changed.filter(({ file, upload }) => !isKnown(file, upload))
  if (hidden[0] !== undefined)
    return line.file_slugs.warning(
      `Plugins give ${fileList(hidden, seen)} both another name and another slug (it became ${nameOf(hidden[0].file)}, “${hidden[0].file.slug}”).`,
      'Galley knows such a file by its alternative text and its post instead. One without alternative text is known by its content alone: where that is changed too, the document is held, and where the answer to its upload is lost, a second file stays in the library.',
      'Nothing needs to be done where every picture has alternative text. Else exclude uploads over the REST API from the plugin that renames files or from the one that changes slugs: one of the two is enough. Disable Media Pages is known to change slugs.',
    )
  if (changed[0] !== undefined)
    return line.file_slugs.warning(
      `A plugin changes the slug that ${fileList(changed, seen)} is given (it became “${changed[0].file.slug}”).`,
      'An upload whose answer is lost is found again by its file name and its post instead.',
      'Nothing needs to be done; Disable Media Pages is known to do this.',
    )
  return line.file_slugs.ok(
    'A file keeps the slug that it is given.',
    'An upload whose answer is lost is found again by it.',
  )
}

const nameOf = ({ sourceUrl }: MediaRecord): string => sourceUrl.split('/').at(-1) ?? ''

/** As a delivery knows its own. */
const isKnown = (file: MediaRecord, { marker }: MediaUpload): boolean =>
  file.slug.startsWith(marker) || nameOf(file).startsWith(marker)

const fileList = (some: readonly ObservedFile[], all: readonly ObservedFile[]): string =>
  some.length === all.length ? 'a file' : `a ${namesOf(some).join(' or ')} file`

const namesOf = (files: readonly { type: SampleFile }[]): string[] =>
  files.map(({ type }) => sampleFiles[type].name)

function checkTypes(tried: readonly UploadAttempt[], seen: readonly ObservedFile[]): Finding {
  const refused = tried.filter(({ refusal }) => refusal !== null)
  const first = refused[0]?.refusal
  if (first) {
    const names = namesOf(refused).join(' or ')
    if (first.fault === 'site') {
      const means = `Whether the site accepts ${names} files, this check cannot tell.`
      return line.media_types.failed(first, means, 'warning')
    }
    return line.media_types.warning(
      `The site does not accept ${names} files. ${failureTextOf(first).happened}`,
      'A document with such a file keeps it at its remote address, or is held.',
      'Allow the type in WordPress, on a multisite under Network Settings → Upload file types. If WordPress says that the web server cannot process such pictures, PHP’s image library (GD or Imagick) has to support them.',
    )
  }
  const converted = seen.filter(({ file, upload }) => file.mimeType !== upload.mimeType)
  const accepted = `${namesOf(seen).join(', ')} files are accepted`
  if (converted.length === 0)
    return line.media_types.ok(`${accepted}.`, 'Pictures and narration can be stored.')
  const pairs = converted.map(({ type, file }) => `${sampleFiles[type].name} to ${file.mimeType}`)
  return line.media_types.ok(
    `${accepted}; a plugin converts some of them (${pairs.join(', ')}).`,
    `Posts show pictures as the plugin leaves them.${converted.some(({ type }) => type === 'gif') ? ' Whether an animated GIF still moves then, this check cannot tell.' : ''}`,
  )
}
