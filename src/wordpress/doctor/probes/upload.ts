import type { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { fromFailure, ok, warning } from '../finding.ts'
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
  for (const [extension, { mimeType, bytes }] of Object.entries(sampleFiles) as [SampleFile, Sample][]) {
    const name = `${marker}-${extension}`
    const upload = { bytes, mimeType, fileName: `${name}.${extension}`, marker: name }
    const { refusal, leftBehind: left } = await uploadBriefly(client, upload)
    leftBehind.push(...left)
    if (refusal) refusals[extension] = refusal
    if (refusal && extension === 'png') break
  }
  return { findings: findingsFor(refusals), leftBehind, upload: !refusals.png }
}

type Sample = (typeof sampleFiles)[SampleFile]

function findingsFor({ png, ...others }: Partial<Record<SampleFile, GalleyError>>): Finding[] {
  if (png) {
    const means =
      'Pictures stay at their remote address, or the delivery is held, as the site’s settings say.'
    return [fromFailure('right_to_upload', png, means, png.whose === 'owner' ? 'warning' : 'problem')]
  }
  const uploaded = ok(
    'right_to_upload',
    'A picture was uploaded, and removed again.',
    'Pictures come into the media library.',
  )
  const refused = Object.keys(others)
  if (refused.length === 0) {
    return [
      uploaded,
      ok('media_types', 'PNG, WebP and MP3 files are taken.', 'Pictures and narration can be stored.'),
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
