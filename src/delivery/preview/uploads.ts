import pMap from 'p-map'
import type { Document } from '../../contract/tree.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { failure } from '../../wordpress/failures/index.ts'
import {
  type FileSources,
  fileNameFor,
  HEAD_BYTES,
  type InspectedFile,
  inspect,
} from '../../wordpress/media/index.ts'
import type { CurrentUser, MediaRecord } from '../../wordpress/types.ts'
import { type DeliveredMedia, isFailureOfFile, withoutFile } from '../steps/media.ts'
import { type NeededFile, neededFiles } from '../steps/pictures.ts'
import { placeholderRecord } from './placeholder.ts'

/** One file that would come into the site's library. */
export interface PlannedUpload {
  url: string
  fileName: string
  alt: string
  mimeType: string
  /** Bytes. */
  size: number
  featured: boolean
  /** What stands in the markup where WordPress's own id and addresses will. */
  placeholder: { id: number; url: string; sizedUrl: string }
}

interface Planning {
  site: DeliverySite
  sources: FileSources
  user: CurrentUser
  document: Document
  /** Fetches a file and says what it is; `inspect`, unless others have asked for it too. */
  look?: typeof inspect | undefined
}

/** Files fetched side by side. */
const CONCURRENCY = 4

/** Bytes of files that a preview has in memory at most. */
export const BYTES_LOOKED_AT = CONCURRENCY * HEAD_BYTES

/**
 * The files of a document, fetched to see what they are, kept nowhere and uploaded nowhere.
 *
 * @throws GalleyError held, where one cannot be had and the site wants no post without it
 */
export async function planUploads(
  planning: Planning,
  warnings: Warning[],
): Promise<{ uploads: PlannedUpload[]; media: DeliveredMedia }> {
  const { site, document } = planning
  const uploads: PlannedUpload[] = []
  const media: DeliveredMedia = { records: new Map(), dropped: new Set() }
  const fetched = await pMap(neededFiles(document), (file) => tryFile(planning, file), {
    concurrency: CONCURRENCY,
  })
  for (const { file, result } of fetched) {
    if (result instanceof GalleyError) {
      const { warning, dropped } = withoutFile(site.settings.picture_policy, file, result)
      warnings.push(warning)
      if (dropped) media.dropped.add(file.url)
    } else {
      const record = placeholderRecord({ site, number: uploads.length + 1, file: result })
      media.records.set(file.url, record)
      uploads.push(plannedUpload(planning, file, result, record))
    }
  }
  return { uploads, media }
}

/** What a file is, or the failure that the file or this user's rights are to blame for. */
async function tryFile(
  { site, sources, user, look = inspect }: Planning,
  file: NeededFile,
): Promise<{ file: NeededFile; result: InspectedFile | GalleyError }> {
  try {
    const limits = { maxBytes: site.settings.max_picture_bytes }
    const result = await look(file.kind, sources, file.url, limits)
    if (user.capabilities.upload_files) return { file, result }
    const context = {
      site: site.name,
      method: 'POST',
      doing: 'uploading a picture',
      subject: 'media',
    } as const
    return { file, result: failure('cannot_upload', context, {}) }
  } catch (error) {
    if (!isFailureOfFile(error)) throw error
    return { file, result: error }
  }
}

function plannedUpload(
  { document, site }: Planning,
  { url, alt, featured }: NeededFile,
  { size, mimeType, extension }: InspectedFile,
  { id, sourceUrl, sizes }: MediaRecord,
): PlannedUpload {
  const sized = sizes[site.settings.render.image_size]?.url ?? sourceUrl
  return {
    url,
    fileName: fileNameFor({ subject: alt || document.title, url, extension }),
    alt,
    mimeType,
    size,
    featured,
    placeholder: { id, url: sourceUrl, sizedUrl: sized },
  }
}
