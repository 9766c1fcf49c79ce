import { fileTypeFromBuffer } from 'file-type'
import type { Sharp } from 'sharp'
import type { ByteBudget } from '../../../bytes/index.ts'
import { type ImageFormat, imageDimensions } from '../../../contract/generation/choices.ts'
import { GenerationError } from '../../failure.ts'
import type { PictureRequest } from '../../providers/types.ts'

/** A picture as it was asked for. */
export interface FinishedPicture {
  /** Pixels. */
  width: number
  height: number
  bytes: Buffer
  /** MIME type. */
  type: string
  extension: string
}

/** Pixels of a picture that is opened: half as many again as the largest that providers make (4096 x 4096). */
const MOST_PIXELS = 25_000_000

/** Bytes of a pixel, decoded. */
const BYTES_A_PIXEL = 4

/** What providers send; whatever else there is, above all SVG with what it can do, is never opened. */
const openable = new Set(['image/png', 'image/apng', 'image/jpeg', 'image/webp'])

const formats = {
  png: { type: 'image/png', extension: 'png', encode: (image) => image.png() },
  jpeg: { type: 'image/jpeg', extension: 'jpg', encode: (image) => image.jpeg({ quality: 90 }) },
  webp: { type: 'image/webp', extension: 'webp', encode: (image) => image.webp({ quality: 90 }) },
} satisfies Record<ImageFormat, { type: string; extension: string; encode: (image: Sharp) => Sharp }>

/**
 * Makes of what a provider sent the picture that was asked for: exact dimensions, cut to them from its middle, its format,
 * its background, and nothing that a camera or a program wrote beside the pixels.
 *
 * @param from the provider's name, for messages
 * @throws GenerationError `INVALID_OUTPUT`
 */
export async function convertPicture(
  bytes: Buffer,
  asked: Pick<PictureRequest, 'size' | 'format' | 'background'>,
  { from, budget, signal }: { from: string; budget: ByteBudget; signal: AbortSignal },
): Promise<FinishedPicture> {
  const { default: sharp } = await import('sharp')
  // It would keep 50 MB of pictures that nobody asks for again.
  sharp.cache(false)
  const found = await fileTypeFromBuffer(bytes)
  if (found === undefined || !openable.has(found.mime))
    throw unusable(from, `it is ${found?.mime ?? 'of no known type'}, and not a PNG, JPEG or WebP`)
  const open = () => sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', autoOrient: true })
  const { width, height } = await read(from, () => open().metadata())
  if (width * height > MOST_PIXELS) throw unusable(from, `it has ${width} x ${height} pixels`)

  const share = await budget.files.take(bytes.length + width * height * BYTES_A_PIXEL, { signal })
  try {
    if (asked.background === 'transparent' && (await read(from, () => open().stats())).isOpaque)
      throw unusable(from, 'its background is not transparent')
    const { type, extension, encode } = formats[asked.format]
    const dimensions = imageDimensions[asked.size]
    const isFilled = asked.background === 'opaque' || asked.format === 'jpeg'
    const made = await read(from, () => {
      const image = open().resize({ ...dimensions, fit: 'cover' })
      return encode(isFilled ? image.flatten({ background: '#ffffff' }) : image).toBuffer()
    })
    return { ...dimensions, bytes: made, type, extension }
  } finally {
    share.release()
  }
}

async function read<Found>(from: string, ask: () => Promise<Found>): Promise<Found> {
  try {
    return await ask()
  } catch (error) {
    throw unusable(from, error instanceof Error ? error.message : String(error), error)
  }
}

const unusable = (from: string, why: string, cause?: unknown): GenerationError =>
  new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    made: true,
    message: `The picture that the provider ${from} made cannot be used: ${why}. Request it again, or ask the operator of Galley for another provider.`,
    cause,
  })
