import type { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import type { MediaRecord } from '../../types.ts'
import { fromFailure, ok, problem, warning } from '../finding.ts'
import type { Finding } from '../types.ts'
import { type SampleFile, sampleFiles } from './files.ts'
import { type LeftBehind, uploadBriefly } from './temporary.ts'

/** Uploads the smallest file of each type that documents bring, and removes it again. */
export async function probeUpload(
  client: WordPressClient,
  { marker }: { marker: string },
): Promise<{ findings: Finding[]; leftBehind: LeftBehind; upload: boolean }> {
  const leftBehind: LeftBehind = []
  const refusals: Partial<Record<SampleFile, GalleyError>> = {}
  const fileFindings: Finding[] = []
  for (const [extension, { mimeType, bytes }] of Object.entries(sampleFiles) as [SampleFile, Sample][]) {
    const name = `${marker}-${extension}`
    const upload = { bytes, mimeType, fileName: `${name}.${extension}`, marker: name }
    const { refusal, file, leftBehind: left } = await uploadBriefly(client, upload)
    leftBehind.push(...left)
    if (file !== null && extension === 'png') fileFindings.push(checkFile(file, upload))
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
      'Exclude /wp-json/ from what caching plugins, the web server or the CDN keep; let plugins that rename files leave uploads over the REST API alone.',
    )
  return warning(
    'file_slugs',
    `A plugin changes the slug that a file is given (it became “${slug}”).`,
    'An upload whose answer is lost is found again by its file name and its post instead.',
    'Nothing needs to be done; Disable Media Pages is known to do this.',
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
      `The site takes no ${refused.join(' and no ')} files.`,
      'A document with such a file keeps it at its remote address, or is held.',
      'Allow the type in WordPress, on a multisite under Network Settings → Upload file types.',
    ),
  ]
}
