/** Width and height in pixels, as the file's own header says; null for a kind without or one that is not known here. */
export function dimensionsOf(bytes: Buffer, mimeType: string): { width: number; height: number } | null {
  const read = readers[mimeType]
  try {
    return read?.(bytes) ?? null
  } catch (error) {
    // The header ends before its figures do.
    if (error instanceof RangeError) return null
    throw error
  }
}

type Reader = (bytes: Buffer) => { width: number; height: number } | null

const readers: Record<string, Reader> = {
  // PNG specification, 11.2.2 IHDR
  'image/png': (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  // GIF89a, 18 Logical Screen Descriptor
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/jpeg': jpeg,
  'image/webp': webp,
}

/** The first frame header (SOF0 to SOF15) among the segments; ITU T.81, B.2.2. */
function jpeg(bytes: Buffer): { width: number; height: number } | null {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1)
    // C4, C8 and CC lie in the same range and are tables
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return null
}

/** RFC 9649: the extended, the lossless and the lossy kind. */
function webp(bytes: Buffer): { width: number; height: number } | null {
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  return kind === 'VP8 '
    ? { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    : null
}
