import { imageSize } from 'image-size'

interface Dimensions {
  width: number
  height: number
}

/**
 * Bytes in which every kind but JPEG says its size. The library's time grows with the square of the boxes in an AVIF or
 * HEIC: what is hostile in 16 KiB takes it 20 ms, and in a mebibyte many seconds.
 */
const HEADER_BYTES = 16 * 1024

/** Width and height in pixels, as the file's own header says; null for a kind without or one that is not known here. */
export function dimensionsOf(bytes: Buffer, mimeType: string): Dimensions | null {
  if (!mimeType.startsWith('image/')) return null
  try {
    return plausible(mimeType === 'image/jpeg' ? jpeg(bytes) : imageSize(headerOf(bytes)))
  } catch (error) {
    // A kind that the library does not know, or a header that ends before its figures do.
    if (error instanceof TypeError || error instanceof RangeError) return null
    throw error
  }
}

/** A copy: the library reads beyond the end of a part, in what the memory around it holds. */
const headerOf = (bytes: Buffer): Uint8Array => new Uint8Array(bytes.subarray(0, HEADER_BYTES))

const plausible = (size: Dimensions | null): Dimensions | null =>
  size !== null && size.width > 0 && size.height > 0 ? { width: size.width, height: size.height } : null

/**
 * The first frame header (SOF0 to SOF15) among the segments; ITU T.81, B.2.2. Before it may lie a colour profile and a
 * preview, hundreds of kilobytes, which are passed over here; the library looks at each byte, and stops everybody
 * else for a quarter of a second over a file that is made for it.
 */
function jpeg(bytes: Buffer): Dimensions | null {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1)
    // C4, C8 and CC lie in the same range and are tables
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return null
}
