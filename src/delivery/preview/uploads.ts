import pMap from 'p-map'
import type { Document } from '../../blocks/document.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import { wordPressFailure } from '../../wordpress/failures/classify.ts'
import { type FileSources, inspectFile } from '../../wordpress/media/download.ts'
import { FILE_HEAD_BYTES, type InspectedFile } from '../../wordpress/media/file-type.ts'
import type { CurrentUser, MediaRecord } from '../../wordpress/types.ts'
import { type NeededFile, neededFiles, uploadFileName } from '../steps/attachments.ts'
import { type DeliveredMedia, isFailureOfFile, skippedFileWarning } from '../steps/media.ts'
import type { Preview } from './schema.ts'

type PlannedUpload = Preview['uploads'][number]

interface UploadPlanContext {
  site: DeliverySite
  sources: FileSources
  user: CurrentUser
  document: Document
  /** Fetches a file and says what it is; `inspect`, unless others have asked for it too. */
  look?: typeof inspectFile | undefined
}

const CONCURRENCY = 4

/** Bytes of files that a preview has in memory at most. */
export const MAX_INSPECTED_BYTES = CONCURRENCY * FILE_HEAD_BYTES

/** The files of a document, fetched to see what they are. @throws GalleyError held, where one is missing and the site wants no such post */
export async function planUploads(
  planning: UploadPlanContext,
  warnings: Warning[],
): Promise<{ uploads: PlannedUpload[]; media: DeliveredMedia }> {
  const { site, document } = planning
  const uploads: PlannedUpload[] = []
  const media: DeliveredMedia = { records: new Map(), dropped: new Set() }
  const fetched = await pMap(neededFiles(document), (file) => inspectUpload(planning, file), {
    concurrency: CONCURRENCY,
  })
  for (const { file, result } of fetched) {
    if (result instanceof GalleyError) {
      const { warning, dropped } = skippedFileWarning(site.settings.picture_policy, file, result)
      warnings.push(warning)
      if (dropped) media.dropped.add(file.url)
    } else {
      const record = placeholderRecord(site, uploads.length + 1, result)
      media.records.set(file.url, record)
      uploads.push(plannedUpload(planning, file, result, record))
    }
  }
  return { uploads, media }
}

async function inspectUpload(
  { site, sources, user, look = inspectFile }: UploadPlanContext,
  file: NeededFile,
): Promise<{ file: NeededFile; result: InspectedFile | GalleyError }> {
  try {
    const limits = { maxBytes: site.settings.max_picture_bytes }
    const result = await look(file.kind, sources, file.url, limits)
    if (user.capabilities.upload_files) return { file, result }
    const context = { site: site.name, method: 'POST', doing: 'uploading a picture' }
    return { file, result: wordPressFailure('cannot_upload', context, {}) }
  } catch (error) {
    if (!isFailureOfFile(error)) throw error
    return { file, result: error }
  }
}

function plannedUpload(
  { document, site }: UploadPlanContext,
  file: NeededFile,
  { size, mimeType, extension }: InspectedFile,
  { id, sourceUrl, sizes }: MediaRecord,
): PlannedUpload {
  const { url, alt, featured } = file
  const sized = sizes[site.settings.render.image_size]?.url ?? sourceUrl
  return {
    url,
    file_name: uploadFileName(document, file, extension),
    alt,
    mime_type: mimeType,
    size,
    featured,
    placeholder: { id, url: sourceUrl, sized_url: sized },
  }
}

/** Far above any id of a real library, so that nobody takes one for the other. */
const FIRST_PLACEHOLDER_ID = 9_000_000_000

/** The boxes of a new WordPress, in pixels; a size is made of a larger picture. The site or its theme may have others. */
const PLACEHOLDER_SIZES = {
  thumbnail: { width: 150, height: 150 },
  medium: { width: 300, height: 300 },
  medium_large: { width: 768, height: Number.POSITIVE_INFINITY },
  large: { width: 1024, height: 1024 },
}

/** A file as the library would answer it, with numbered placeholders for what only the library gives. */
function placeholderRecord(
  site: DeliverySite,
  number: number,
  { dimensions: picture, mimeType }: InspectedFile,
): MediaRecord {
  const url = `${site.url}/galley-upload-${number}`
  const made = Object.entries(PLACEHOLDER_SIZES).filter(
    ([, box]) => picture !== null && (picture.width > box.width || picture.height > box.height),
  )
  return {
    id: FIRST_PLACEHOLDER_ID + number,
    slug: '',
    status: 'inherit',
    link: `${url}-page`,
    sourceUrl: url,
    mimeType,
    altText: '',
    post: 0,
    sizes: Object.fromEntries([
      ['full', { url, width: 0, height: 0 }],
      ...made.map(([name, box]) => [name, { url: `${url}-${name}`, ...box }]),
    ]),
  }
}
