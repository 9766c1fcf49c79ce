import type { Warning } from '../../errors.ts'
import { truncate } from '../../lib/text.ts'
import { createWorkerThread } from '../../lib/worker-threads.ts'
import { downloadFailure } from './download-failures.ts'
import { type Dimensions, type DownloadedFile, readDimensions } from './file-type.ts'
import type { PictureReply, PictureTask } from './prepare-picture.worker.ts'

/** Pixels of the largest picture. A phone makes 50 million, and a server must hold four bytes of each. */
const MAX_PIXELS = 100_000_000

/** The decoder of a HEIC has no limit of its own. */
const MAX_HEIC_PIXELS = 50_000_000

const isHeic = (mimeType: string): boolean => /^image\/hei[cf]$/.test(mimeType)

const JPEG = { mimeType: 'image/jpeg', extension: 'jpg' }
const PNG = { mimeType: 'image/png', extension: 'png' }

/** What is uploaded of types that the library is not given as they are; a transparent one becomes a PNG. */
const UPLOADED_TYPES: Readonly<Record<string, { mimeType: string; extension: string }>> = {
  'image/heic': JPEG,
  'image/heif': JPEG,
  'image/tiff': JPEG,
  'image/apng': PNG,
}

export const uploadedType = (type: { mimeType: string; extension: string }) =>
  UPLOADED_TYPES[type.mimeType] ?? type

type Picture = Pick<DownloadedFile, 'bytes' | 'mimeType' | 'extension'>

interface PrepareOptions {
  /** Pixels of the longest side, to which a picture is made smaller; null for any. */
  longestSide: number | null
  /** The site refuses its type: it becomes one that every site takes, a moving one a GIF. */
  isRefused?: boolean
  warnings: Warning[]
}

/** A picture as it is uploaded: smaller where large, converted where few browsers show it or it has the colours of print. */
export async function preparePicture(
  picture: Picture,
  url: string,
  { longestSide, isRefused = false, warnings }: PrepareOptions,
): Promise<Picture> {
  const { bytes, mimeType } = picture
  const reply = await decode({ bytes, mimeType, longestSide, isRefused, maxPixels: MAX_PIXELS }, url)
  if ('error' in reply) throw damaged(url, mimeType, reply.error)
  if ('tooLarge' in reply) throw tooManyPixels(url, reply.tooLarge)
  if ('kept' in reply) {
    if (reply.large !== null) warnings.push(keptLarge(truncate(url, 200), reply.large))
    return { ...uploadedType(picture), bytes }
  }
  const pages = reply.leftPages + 1
  const address = truncate(url, 200)
  if (pages > 1)
    warnings.push({
      code: 'picture_pages_left_out',
      message: `${address} has ${pages} pages, and the post shows the first.`,
    })
  return { bytes: Buffer.from(reply.bytes), ...typesMade[reply.format] }
}

const typesMade = {
  jpeg: JPEG,
  png: PNG,
  gif: { mimeType: 'image/gif', extension: 'gif' },
  webp: { mimeType: 'image/webp', extension: 'webp' },
  heif: { mimeType: 'image/avif', extension: 'avif' },
}

const keptLarge = (address: string, { width, height }: Dimensions): Warning => ({
  code: 'picture_kept_large',
  message: `${address} moves and is ${width} × ${height} pixels. It was uploaded as it is: in this format, or for so long, it cannot be made smaller. WordPress may show a smaller one that stands still.`,
})

const damaged = (url: string, mimeType: string, cause?: string) =>
  downloadFailure('picture_not_an_image', url, `damaged or cut off (${mimeType})`, cause)

const createDecoder = () =>
  createWorkerThread<PictureTask, PictureReply>('prepare-picture', {
    timeoutMs: 60_000,
    heapMb: 512,
    isProcess: true,
  })

/** Each decodes one picture after another; a crash costs no other. Huge ones take the memory of one. */
const decoders = { usual: createDecoder(), huge: createDecoder() }

/** Pixels of a picture that is huge: 100 MB where it is held as a whole. */
const HUGE_PIXELS = 25_000_000

/** @throws GalleyError of the picture */
async function decode(task: PictureTask, url: string): Promise<PictureReply> {
  const { mimeType } = task
  const dimensions = readDimensions(Buffer.from(task.bytes), mimeType)
  if (dimensions === null && isHeic(mimeType)) throw damaged(url, mimeType, 'a HEIC of an unknown size')
  const pixels = dimensions === null ? MAX_PIXELS : dimensions.width * dimensions.height
  try {
    const decoder = pixels < HUGE_PIXELS ? decoders.usual : decoders.huge
    return await decoder.run(task, new AbortController().signal)
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error)
    throw downloadFailure('picture_not_decoded', url, seen, error)
  }
}

/** @throws GalleyError `picture_too_many_pixels` */
export function checkPixels(dimensions: Dimensions | null, mimeType: string, url: string): void {
  const most = isHeic(mimeType) ? MAX_HEIC_PIXELS : MAX_PIXELS
  if (dimensions !== null && dimensions.width * dimensions.height > most) throw tooManyPixels(url, dimensions)
}

const tooManyPixels = (url: string, { width, height }: Dimensions) =>
  downloadFailure('picture_too_many_pixels', url, `${width} × ${height} pixels`)
