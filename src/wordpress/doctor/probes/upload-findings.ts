import type { GalleyError } from '../../../errors.ts'
import { failureTextOf } from '../../failures/index.ts'
import type { MediaUpload } from '../../media/index.ts'
import type { MediaRecord } from '../../types.ts'
import { fromFailure, ok, problem, warning } from '../finding.ts'
import type { Finding } from '../types.ts'
import { type SampleFile, sampleFiles } from './files.ts'

/** A file of one type that was uploaded, and how it was seen in the library. */
export interface SeenFile {
  type: SampleFile
  upload: MediaUpload
  file: MediaRecord
}

/** The answer to an upload showed a file that is none of ours. */
export const anotherFile = (): Finding =>
  problem(
    'file_slugs',
    'The answer to an upload names another file: something on the site caches answers of the REST API, or renames files.',
    'Pictures would be mixed up, so Galley holds documents instead of trusting such answers.',
    'Exclude /wp-json/ from what caching plugins, the web server or the CDN keep; exclude uploads over the REST API from plugins that rename files.',
  )

/** By slug and name Galley finds an upload again whose answer was lost; where both are changed, by its alternative text. */
export function checkFiles(seen: readonly SeenFile[]): Finding {
  const changed = seen.filter(({ file, upload }) => file.slug !== upload.marker)
  const hidden = changed.filter(({ file, upload }) => !isKnown(file, upload))
  if (hidden[0] !== undefined)
    return warning(
      'file_slugs',
      `Plugins give ${aFileOf(hidden, seen)} both another name and another slug (it became ${nameOf(hidden[0].file)}, “${hidden[0].file.slug}”).`,
      'Galley knows such a file by its alternative text and its post instead. One without alternative text is known by its content alone: where that is changed too, the document is held, and where the answer to its upload is lost, a second file stays in the library.',
      'Nothing needs to be done where every picture has alternative text. Else exclude uploads over the REST API from the plugin that renames files or from the one that changes slugs: one of the two is enough. Disable Media Pages is known to change slugs.',
    )
  if (changed[0] !== undefined)
    return warning(
      'file_slugs',
      `A plugin changes the slug that ${aFileOf(changed, seen)} is given (it became “${changed[0].file.slug}”).`,
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

const aFileOf = (some: readonly SeenFile[], all: readonly SeenFile[]): string =>
  some.length === all.length ? 'a file' : `a ${namesOf(some.map(({ type }) => type)).join(' or ')} file`

const namesOf = (types: readonly SampleFile[]): string[] => types.map((type) => sampleFiles[type].name)

export type Refusals = Partial<Record<SampleFile, GalleyError>>

/** Which types the site takes, and what it makes of them. */
export function checkTypes(refusals: Refusals, seen: readonly SeenFile[]): Finding {
  const refused = Object.keys(refusals) as SampleFile[]
  const [first] = Object.values(refusals)
  if (first !== undefined) {
    const names = namesOf(refused).join(' or ')
    if (first.fault === 'site')
      return fromFailure(
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
