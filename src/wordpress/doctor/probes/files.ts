import { crc32 } from 'node:zlib'
import type { MediaUpload } from '../../media/index.ts'

/** The smallest valid file of each type that documents bring along. */
export const sampleFiles = {
  png: {
    name: 'PNG',
    mimeType: 'image/png',
    bytes: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  },
  jpg: { name: 'JPEG', mimeType: 'image/jpeg', bytes: greyJpeg() },
  gif: {
    name: 'GIF',
    mimeType: 'image/gif',
    bytes: Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64'),
  },
  webp: {
    name: 'WebP',
    mimeType: 'image/webp',
    bytes: Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64'),
  },
  mp3: { name: 'MP3', mimeType: 'audio/mpeg', bytes: silence() },
}

export type SampleFile = keyof typeof sampleFiles

export const sampleTypes = Object.keys(sampleFiles) as SampleFile[]

/** One of them under a name of its own; a picture as PNG has bytes that no other upload has. */
export function sampleUpload(type: SampleFile, marker: string): MediaUpload {
  const { mimeType, bytes } = sampleFiles[type]
  const own = type === 'png' ? withComment(bytes, marker) : bytes
  return { bytes: own, mimeType, fileName: `${marker}.${type}`, marker }
}

/** Of the last chunk of a PNG, which is empty: length, type and checksum. */
const PNG_END = 12

/** With a text before its end that no program shows. */
function withComment(png: Buffer, text: string): Buffer {
  const chunk = Buffer.from(`tEXtComment\0${text}`, 'latin1')
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(chunk.length - 4)
  checksum.writeUInt32BE(crc32(chunk))
  return Buffer.concat([png.subarray(0, -PNG_END), length, chunk, checksum, png.subarray(-PNG_END)])
}

/** One grey pixel, with the shortest tables that there can be: each has one code, a single 0. */
function greyJpeg(): Buffer {
  const segment = (marker: number, ...bytes: number[]) => [0xff, marker, 0, bytes.length + 2, ...bytes]
  const lengths = [1, ...Array<number>(15).fill(0)]
  return Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xe0, ...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0),
    ...segment(0xdb, 0, ...Array<number>(64).fill(1)),
    ...segment(0xc0, 8, 0, 1, 0, 1, 1, 1, 0x11, 0),
    ...segment(0xc4, 0x00, ...lengths, 0),
    ...segment(0xc4, 0x10, ...lengths, 0),
    ...segment(0xda, 1, 1, 0, 0, 63, 0),
    ...[0x3f, 0xff, 0xd9],
  ])
}

/** An empty ID3 tag and two frames of silence: MPEG 1 layer III, 128 kbit/s, 44.1 kHz, 417 bytes each. */
function silence(): Buffer {
  const tag = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 0])
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x64])
  return Buffer.concat([tag, frame, frame])
}
