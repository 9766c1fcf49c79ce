import { writeFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import decodeHeic from 'heic-decode'
import sharp, { type Sharp } from 'sharp'

/** A process that decodes pictures. Whoever started it ends it; a signal to the whole group is not meant for it. */
process.on('SIGTERM', () => undefined)
process.on('SIGINT', () => undefined)
try {
  // Where memory runs out, Linux ends this process before any other.
  writeFileSync('/proc/self/oom_score_adj', '1000')
} catch {
  // Another system, or one that does not allow it.
}
// It would keep 50 MB of pictures that nobody asks for again.
sharp.cache(false)

/** Types that browsers do not show. */
const UNSHOWN_TYPES: ReadonlySet<string> = new Set(['image/heic', 'image/heif', 'image/tiff'])

export interface PictureTask {
  bytes: Uint8Array
  mimeType: string
  /** Pixels of the longest side, to which it is made smaller; null for any. */
  longestSide: number | null
  /** The site refuses its type: it becomes one that every site takes. */
  isRefused: boolean
  /** Pixels of the largest picture that is decoded. */
  maxPixels: number
}

/** As the library calls them; AVIF is a `heif`. */
export type Format = 'jpeg' | 'png' | 'gif' | 'webp' | 'heif'

export type PictureReply =
  /** It stays as it is; `large` where it should have been made smaller and cannot be. */
  | { kept: true; large: { width: number; height: number } | null }
  | { bytes: Uint8Array; format: Format; leftPages: number }
  | { tooLarge: { width: number; height: number } }
  /** It cannot be decoded. */
  | { error: string }

process.on('message', async (task: PictureTask) => {
  const reply = await prepare(task).catch((error): PictureReply => ({ error: String(error) }))
  process.send?.(reply)
})

async function prepare({ mimeType, longestSide, isRefused, maxPixels, ...task }: PictureTask) {
  const bytes = Buffer.from(task.bytes)
  const open = {
    limitInputPixels: maxPixels,
    failOn: 'error',
    autoOrient: true,
    sequentialRead: true,
  } as const
  const isHeic = mimeType === 'image/heic' || mimeType === 'image/heif'
  const image = isHeic ? await openHeic(bytes) : sharp(bytes, open)
  const { width, height, space, format, pages = 1 } = await image.metadata()
  if (width * height > maxPixels) return { tooLarge: { width, height } }
  const moves = mimeType !== 'image/tiff' && (pages > 1 || isMoving(bytes, mimeType))
  const isConverted = isRefused || UNSHOWN_TYPES.has(mimeType) || space === 'cmyk'
  const isLarge = longestSide !== null && Math.max(width, height) > longestSide
  // All of its pictures are in memory at once.
  const isResizable = !moves || (pages > 1 && width * height * pages <= maxPixels)
  if (!isConverted && !(isLarge && isResizable)) {
    // Decodes all of it, a few rows at a time, as what follows does: damage is found so.
    await image.resize(1, 1, { fit: 'fill' }).raw().toBuffer()
    return { kept: true, large: isLarge ? { width, height } : null }
  }
  const source = moves ? sharp(bytes, { ...open, animated: true, autoOrient: false }) : image
  const sized = isLarge ? source.resize(longestSide, longestSide, { fit: 'inside' }) : source
  if (moves) return encode(sized, isConverted ? 'gif' : (format as Format))
  if (!isConverted) return { ...(await encode(sized, format as Format)), leftPages: pages - 1 }
  const { isOpaque } = await image.stats()
  return { ...(await encode(sized, isOpaque ? 'jpeg' : 'png')), leftPages: pages - 1 }
}

/** APNG, and a sequence in AVIF: the library sees their first picture alone. */
const isMoving = (bytes: Buffer, mimeType: string): boolean =>
  mimeType === 'image/apng' || bytes.toString('latin1', 4, 12) === 'ftypavis'

/** In the colours of screens, upright, with what its photographer wrote into it. */
async function encode(image: Sharp, format: Format) {
  const bytes = await image.toColourspace('srgb').withMetadata().toFormat(format, OPTIONS[format]).toBuffer()
  return { bytes, format, leftPages: 0 }
}

const OPTIONS: Partial<Record<Format, object>> = {
  jpeg: { quality: 90 },
  webp: { quality: 90 },
  // AVIF; more effort takes a minute of a large one.
  heif: { compression: 'av1', quality: 65, effort: 2 },
}

/** The decoder that sharp brings knows AV1 and not HEVC. */
async function openHeic(bytes: Buffer): Promise<Sharp> {
  const { width, height, data } = await decodeHeic({ buffer: bytes })
  const image = sharp(data, { raw: { width, height, channels: 4 } })
  const profile = profileOfHeic(bytes)
  if (profile === undefined) return image
  const png = await image.png({ compressionLevel: 0 }).toBuffer()
  return sharp(withProfile(png, profile))
}

/** The colour profile in a box `colr` (ISO 23008-12): that of a phone shows more red and green than screens do. */
function profileOfHeic(bytes: Buffer): Buffer | undefined {
  const at = bytes.indexOf('colrprof')
  return at < 4 ? undefined : bytes.subarray(at + 8, at - 4 + bytes.readUInt32BE(at - 4))
}

/** Bytes of a PNG's signature and first chunk, `IHDR`. */
const PNG_HEAD = 33

/** The PNG with a chunk `iCCP` (PNG, 11.3.2.3). */
function withProfile(png: Buffer, profile: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from('iCCPicc\0\0', 'latin1'), deflateSync(profile)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length - 4)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([png.subarray(0, PNG_HEAD), length, content, sum, png.subarray(PNG_HEAD)])
}
