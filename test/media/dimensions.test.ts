import { expect, test } from 'vitest'
import { readDimensions } from '../../src/wordpress/media/file-type.ts'
import { png } from '../support/files.ts'

/** A box of ISO 14496-12, which AVIF and HEIC are made of: its length, its name, what is in it. */
function box(name: string, ...inside: Buffer[]): Buffer {
  const content = Buffer.concat(inside)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, content])
}

/** `ispe`, ISO 23008-12 6.5.3: version and flags, then the width and the height. */
function extent(width: number, height: number): Buffer {
  const content = Buffer.alloc(12)
  content.writeUInt32BE(width, 4)
  content.writeUInt32BE(height, 8)
  return box('ispe', content)
}

const file = (brand: string, ...properties: Buffer[]): Buffer =>
  Buffer.concat([
    box('ftyp', Buffer.from(brand), Buffer.alloc(4)),
    box('meta', Buffer.alloc(4), box('iprp', box('ipco', ...properties))),
  ])

/** An APP2 segment, of a colour profile, and a frame header. */
function jpeg(profileBytes: number, width: number, height: number): Buffer {
  const profile = Buffer.alloc(profileBytes + 4)
  profile.set([0xff, 0xe2])
  profile.writeUInt16BE(profileBytes + 2, 2)
  const frame = Buffer.alloc(19)
  frame.set([0xff, 0xc2, 0, 17, 8])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), profile, profile, frame])
}

const gif = Buffer.from('GIF89a\x40\x01\xf0\x00', 'latin1')
const webp = Buffer.concat([
  Buffer.from('RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0', 'latin1'),
  Buffer.from([0x3f, 0x01, 0, 0xef, 0, 0]),
])

test.each([
  ['image/png', png(320, 240, [1, 2, 3])],
  ['image/gif', gif],
  ['image/webp', webp],
  ['image/jpeg', jpeg(60_000, 320, 240)],
  ['image/avif', file('avif', extent(320, 240))],
  ['image/heic', file('heic', extent(320, 240))],
])('the size of an %s is read', (mimeType, bytes) => {
  expect(readDimensions(bytes, mimeType)).toEqual({ width: 320, height: 240 })
})

test('a HEIC of tiles is as large as the whole', () => {
  const bytes = file('heic', extent(512, 512), extent(4_032, 3_024), extent(320, 240))
  expect(readDimensions(bytes, 'image/heic')).toEqual({ width: 4_032, height: 3_024 })
})

test.each([
  ['what is no picture', gif, 'audio/mpeg'],
  ['a PNG that ends before its size', png(320, 240, [1, 2, 3]).subarray(0, 18), 'image/png'],
  ['a JPEG that ends before its frame', jpeg(60_000, 320, 240).subarray(0, 9_000), 'image/jpeg'],
  ['an AVIF without a size', file('avif'), 'image/avif'],
  ['an AVIF of no pixels', file('avif', extent(0, 240)), 'image/avif'],
  ['nothing of the kind', Buffer.from('<html>'), 'image/gif'],
  ['nothing at all', Buffer.alloc(0), 'image/webp'],
])('of %s there is no size, and no error', (_, bytes, mimeType) => {
  expect(readDimensions(bytes, mimeType)).toBeNull()
})

test('a HEIC of many more boxes than a picture has is not looked through: its time grows with their square', () => {
  const boxes = (count: number) => file('heic', ...Array.from({ length: count }, (_, n) => extent(n + 1, 1)))
  expect(readDimensions(boxes(700), 'image/heic')).toEqual({ width: 700, height: 1 })
  expect(readDimensions(boxes(50_000), 'image/heic')).toBeNull()
})
