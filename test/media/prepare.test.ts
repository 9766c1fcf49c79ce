import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createByteBudget } from '../../src/bytes/budget.ts'
import { withInlineFiles } from '../../src/delivery/steps/context.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import type { Warning } from '../../src/warnings.ts'
import { downloadFile, inspectFile } from '../../src/wordpress/media/download.ts'
import { preparePicture } from '../../src/wordpress/media/prepare.ts'
import { png } from '../support/files.ts'
import { heic } from './heic.ts'

const url = 'https://img.example/a'
const limits = { maxBytes: 1024 * 1024 }
const outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/0.0.0' })
const inlineFiles = new Map<string, string>()
const inline = (bytes: Buffer) => {
  const address = `data:${inlineFiles.size}`
  inlineFiles.set(address, `data:image/png;base64,${bytes.toString('base64')}`)
  return address
}
const { files } = createByteBudget()
const sources = withInlineFiles({ inlineFiles }, { outbound, findStored: async () => undefined, files })

const prepare = (
  bytes: Buffer,
  mimeType: string,
  { longestSide = 2560, isRefused = false, warnings = [] as Warning[] } = {},
) => preparePicture({ bytes, mimeType, extension: 'x' }, url, { longestSide, isRefused, warnings })
const red = () => sharp({ create: { width: 64, height: 48, channels: 3, background: '#ff0000' } })

/** A PNG whose header says this size, and that has next to nothing in it. */
function flood(width: number, height: number): Buffer {
  const bytes = png(1, 1, [0, 0, 0])
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

describe('a picture before its upload', () => {
  it('stays as it is where browsers show it', async () => {
    for (const [bytes, type] of [
      [await red().png().toBuffer(), 'image/png'],
      [await red().jpeg().toBuffer(), 'image/jpeg'],
      [await red().webp().toBuffer(), 'image/webp'],
      [await red().gif().toBuffer(), 'image/gif'],
      [await red().avif().toBuffer(), 'image/avif'],
    ] as const)
      expect((await prepare(bytes, type)).bytes).toBe(bytes)
  })

  it.each([
    ['a HEIC', async () => heic, 'image/heic'],
    ['a TIFF', () => red().tiff().toBuffer(), 'image/tiff'],
    ['a JPEG in the colours of print', () => red().toColourspace('cmyk').jpeg().toBuffer(), 'image/jpeg'],
  ])('becomes a JPEG in the colours of screens: %s', async (_name, make, type) => {
    const { bytes, mimeType, extension } = await prepare(await make(), type)
    expect([mimeType, extension]).toEqual(['image/jpeg', 'jpg'])
    expect(await sharp(bytes).metadata()).toMatchObject({
      width: 64,
      height: 48,
      format: 'jpeg',
      space: 'srgb',
    })
    const { dominant } = await sharp(bytes).stats()
    expect(dominant.r).toBeGreaterThan(dominant.g + 150)
  })

  it.each([
    [
      'a PNG that is cut off',
      async () => (await red().png({ compressionLevel: 0 }).toBuffer()).subarray(0, 5_000),
      'image/png',
    ],
    [
      'an interlaced PNG that is cut off',
      async () => (await red().png({ progressive: true, compressionLevel: 0 }).toBuffer()).subarray(0, 5_000),
      'image/png',
    ],
    [
      'a JPEG that is cut off',
      async () => (await red().resize(900, 900).jpeg().toBuffer()).subarray(0, 2_000),
      'image/jpeg',
    ],
    [
      'a WebP that is cut off',
      async () => (await red().webp({ lossless: true }).toBuffer()).subarray(0, 40),
      'image/webp',
    ],
    ['a HEIC that is cut off', async () => heic.subarray(0, 300), 'image/heic'],
    ['a TIFF of nothing', async () => Buffer.from('II*\0\x08\0\0\0\0\0'), 'image/tiff'],
  ])('is refused where nothing can show it: %s', async (_name, make, type) => {
    await expect(prepare(await make(), type)).rejects.toMatchObject({
      code: 'picture_not_an_image',
      action: 'permanent',
      message: expect.stringContaining(`damaged or cut off (${type})`),
    })
  })

  it.each([
    [30_000, 30_000],
    [65_536, 32_768],
  ])('is refused by its header where it would be a flood: %i × %i', async (width, height) => {
    for (const way of [downloadFile, inspectFile])
      await expect(way('picture', sources, inline(flood(width, height)), limits)).rejects.toMatchObject({
        code: 'picture_too_many_pixels',
        message: expect.stringContaining(`${width} × ${height} pixels`),
      })
  })

  it('is refused for its pixels, and not called damaged, where it is a HEIC of more than 50 million', async () => {
    const bytes = Buffer.from(heic)
    for (let at = bytes.indexOf('ispe'); at !== -1; at = bytes.indexOf('ispe', at + 4))
      for (const side of [8, 12]) bytes.writeUInt32BE(8_000, at + side)
    for (const way of [downloadFile, inspectFile])
      await expect(way('picture', sources, inline(bytes), limits)).rejects.toMatchObject({
        code: 'picture_too_many_pixels',
        message: expect.stringContaining('8000 × 8000 pixels'),
      })
  })

  it('is read out of a small data: address', async () => {
    const bytes = png(2, 2, [1, 2, 3])
    expect(await downloadFile('picture', sources, inline(bytes), limits)).toMatchObject({
      mimeType: 'image/png',
      bytes,
    })
  })

  it('becomes of a kind that every site takes, and keeps what it can', async () => {
    const convert = (bytes: Buffer, mimeType: string) => prepare(bytes, mimeType, { isRefused: true })
    expect(await convert(await red().avif().toBuffer(), 'image/avif')).toMatchObject({
      mimeType: 'image/jpeg',
    })
    expect(await convert(await clear().webp().toBuffer(), 'image/webp')).toMatchObject({
      mimeType: 'image/png',
    })
    expect(await convert(await moving().webp().toBuffer(), 'image/webp')).toMatchObject({
      mimeType: 'image/gif',
    })
  })
})

const clear = () => sharp({ create: { width: 64, height: 48, channels: 4, background: '#ff000080' } })

/** Two pictures, one after the other. */
const moving = () => sharp([png(64, 48, [255, 0, 0]), png(64, 48, [0, 0, 255])], { join: { animated: true } })

const shape = async (bytes: Buffer) => {
  const { width, height, orientation = 1, format } = await sharp(bytes).metadata()
  return { width, height, orientation, format }
}

/** Red, green, blue (and opacity) at a point, as a screen shows them. */
const colourAt = async (bytes: Buffer, left: number, top: number) => [
  ...(await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
]

describe('a large picture', () => {
  it('is made smaller in its own proportions, upright', async () => {
    const corner = { create: { width: 280, height: 280, channels: 3, background: '#0000ff' } } as const
    const bytes = await sharp({ create: { width: 2800, height: 2100, channels: 3, background: '#ff0000' } })
      .composite([{ input: corner, left: 0, top: 0 }])
      .withMetadata({ orientation: 6, exif: { IFD0: { Copyright: 'Ada' } } })
      .jpeg()
      .toBuffer()
    const made = await prepare(bytes, 'image/jpeg')
    expect(made).toMatchObject({ mimeType: 'image/jpeg', extension: 'jpg' })
    expect(await shape(made.bytes)).toEqual({ width: 1920, height: 2560, orientation: 1, format: 'jpeg' })
    // A quarter turn to the right: what lay above on the left lies above on the right.
    const [red, , blue] = (await colourAt(made.bytes, 1900, 20)) as [number, number, number]
    expect(blue - red).toBeGreaterThan(200)
    expect((await sharp(made.bytes).metadata()).exif?.toString('latin1')).toContain('Ada')
  })

  it.each(['png', 'webp', 'gif', 'avif', 'jpeg'] as const)('stays of its kind: %s', async (kind) => {
    const bytes = await red().toFormat(kind).toBuffer()
    const made = await prepare(bytes, `image/${kind}`, { longestSide: 32 })
    expect(made.mimeType).toBe(`image/${kind}`)
    expect(await shape(made.bytes)).toMatchObject({ width: 32, height: 24 })
    expect((await prepare(bytes, `image/${kind}`, { longestSide: 64 })).bytes).toBe(bytes)
    expect(
      (
        await preparePicture({ bytes, mimeType: `image/${kind}`, extension: kind }, url, {
          longestSide: null,
          warnings: [],
        })
      ).bytes,
    ).toBe(bytes)
  })

  it.each([
    ['image/png', () => clear().png().toBuffer()],
    ['image/webp', () => clear().webp().toBuffer()],
    ['image/tiff', () => clear().tiff({ compression: 'lzw' }).toBuffer()],
  ])('stays transparent: %s', async (mimeType, make) => {
    const { bytes } = await prepare(await make(), mimeType, { longestSide: 32 })
    const [red, , , opacity] = await colourAt(await sharp(bytes).png().toBuffer(), 3, 3)
    expect(red).toBeGreaterThan(240)
    expect(opacity).toBe(128)
  })

  it('shows its colours as screens do', async () => {
    // In Display P3 this is beyond what sRGB has; without its profile it would be a paler green.
    const bytes = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#00f000' } })
      .withIccProfile('p3')
      .png()
      .toBuffer()
    const wide = await sharp(bytes, { ignoreIcc: true }).raw().toBuffer()
    expect(wide[0]).toBeGreaterThan(80)
    const [red, green] = await colourAt((await prepare(bytes, 'image/png', { longestSide: 32 })).bytes, 3, 3)
    expect(red).toBeLessThan(20)
    expect(green).toBeGreaterThan(230)
  })

  it.each(['gif', 'webp'] as const)('keeps moving: %s', async (kind) => {
    const bytes = await moving().toFormat(kind).toBuffer()
    const made = await prepare(bytes, `image/${kind}`, { longestSide: 32 })
    expect(made.mimeType).toBe(`image/${kind}`)
    expect(await sharp(made.bytes, { animated: true }).metadata()).toMatchObject({
      ...{ width: 32, pageHeight: 24, pages: 2 },
    })
    expect((await prepare(bytes, `image/${kind}`)).bytes).toBe(bytes)
  })

  it('stays as it is where it moves, and only its first picture can be read: APNG', async () => {
    const bytes = await red().png().toBuffer()
    const warnings: Warning[] = []
    const made = await prepare(bytes, 'image/apng', { longestSide: 32, warnings })
    expect([made.bytes, made.mimeType]).toEqual([bytes, 'image/png'])
    expect(warnings).toMatchObject([
      { code: 'picture_kept_large', message: expect.stringContaining('64 × 48 pixels') },
    ])
  })

  it('shows its first page, and says that there are more', async () => {
    const warnings: Warning[] = []
    const made = await prepare(await moving().tiff().toBuffer(), 'image/tiff', { warnings })
    expect(await shape(made.bytes)).toMatchObject({ width: 64, height: 48, format: 'jpeg' })
    expect(warnings).toMatchObject([{ code: 'picture_pages_left_out' }])
  })
})

it('a picture over which its decoder dies costs no other picture anything', async () => {
  const huge = await sharp({ create: { width: 5_000, height: 5_000, channels: 3, background: '#ff0000' } })
    .png()
    .toBuffer()
  const refused = expect(prepare(huge, 'image/png')).rejects.toMatchObject({
    code: 'picture_not_decoded',
    action: 'retry',
  })
  await setImmediate()
  // The one that was just started.
  process.kill(Math.max(...decoders()), 'SIGKILL')
  const small = await red().jpeg().toBuffer()
  expect((await prepare(small, 'image/jpeg')).bytes).toBe(small)
  await refused
  expect((await prepare(huge, 'image/png', { longestSide: 5_000 })).bytes).toBe(huge)
})

/** The processes that decode pictures for this one. */
const decoders = (): number[] =>
  readdirSync('/proc/self/task')
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim().split(' '))
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('prepare-picture'))
    .map(Number)
