import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import { findMediaByMarker } from '../../media/index.ts'
import type { MediaRecord } from '../../types.ts'
import { fromFailure, ok, problem, warning } from '../finding.ts'
import type { Finding } from '../types.ts'
import { type SampleFile, sampleFiles } from './files.ts'
import { type LeftBehind, uploadBriefly } from './temporary.ts'

/**
 * Uploads the smallest file of each type that documents bring, and removes it again.
 *
 * @param lists whether the library is asked for a list
 */
export async function probeUpload(
  client: WordPressClient,
  { marker, lists }: { marker: string; lists: boolean },
): Promise<{ findings: Finding[]; leftBehind: LeftBehind; upload: boolean }> {
  const leftBehind: LeftBehind = []
  const refusals: Partial<Record<SampleFile, GalleyError>> = {}
  const fileFindings: Finding[] = []
  for (const [extension, { mimeType, bytes }] of Object.entries(sampleFiles) as [SampleFile, Sample][]) {
    const name = `${marker}-${extension}`
    const upload = { bytes, mimeType, fileName: `${name}.${extension}`, marker: name }
    const { refusal, file, unread, leftBehind: left } = await uploadBriefly(client, upload)
    leftBehind.push(...left)
    if (file !== null && extension === 'png')
      fileFindings.push(
        checkFile(file, upload),
        ...(lists || unread !== null ? [await checkLibrary(client, unread, name)] : []),
      )
    if (refusal) refusals[extension] = refusal
    if (refusal && extension === 'png') break
  }
  return { findings: [...findingsFor(refusals), ...fileFindings], leftBehind, upload: !refusals.png }
}

/** The slug is how Galley finds an upload again whose answer was lost. */
function checkFile({ slug, sourceUrl }: MediaRecord, { marker }: { marker: string }): Finding {
  if (slug === marker)
    return ok(
      'file_slugs',
      'A file keeps the slug that it is given.',
      'An upload whose answer is lost is found again by it.',
    )
  if (!sourceUrl.includes(marker))
    return problem(
      'file_slugs',
      'The answer to an upload names another file: something on the site caches answers of the REST API, or renames files.',
      'Pictures would be mixed up, so Galley holds documents instead of trusting such answers.',
      'Exclude /wp-json/ from what caching plugins, the web server or the CDN keep; exclude uploads over the REST API from plugins that rename files.',
    )
  return warning(
    'file_slugs',
    `A plugin changes the slug that a file is given (it became “${slug}”).`,
    'An upload whose answer is lost is found again by its file name and its post instead.',
    'Nothing needs to be done; Disable Media Pages is known to do this.',
  )
}

/** Plugins close the library to some roles that may upload all the same. */
async function checkLibrary(
  client: WordPressClient,
  unread: GalleyError | null,
  marker: string,
): Promise<Finding> {
  const todo =
    'Let Galley’s user read the media library over the REST API: find the plugin whose words these are, and exempt that user there.'
  if (unread !== null)
    return warning(
      'media_library',
      failureTextOf(unread).happened,
      'Files are uploaded. A newer version of a document with files is held, since Galley cannot look whether they are still there.',
      todo,
    )
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

type Sample = (typeof sampleFiles)[SampleFile]

function findingsFor({ png, ...others }: Partial<Record<SampleFile, GalleyError>>): Finding[] {
  if (png) {
    const means =
      'Pictures stay at their remote address, or the delivery is held, as the site’s settings say.'
    return [fromFailure('right_to_upload', png, means, png.fault === 'owner' ? 'warning' : 'problem')]
  }
  const uploaded = ok(
    'right_to_upload',
    'A picture was uploaded, and removed again.',
    'Pictures are added to the media library.',
  )
  const refused = Object.keys(others)
  if (refused.length === 0) {
    return [
      uploaded,
      ok('media_types', 'PNG, WebP and MP3 files are accepted.', 'Pictures and narration can be stored.'),
    ]
  }
  return [
    uploaded,
    warning(
      'media_types',
      `The site does not accept ${refused.join(' or ')} files.`,
      'A document with such a file keeps it at its remote address, or is held.',
      'Allow the type in WordPress, on a multisite under Network Settings → Upload file types.',
    ),
  ]
}
