import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createByteBudget } from '../../../src/bytes/budget.ts'
import { convertPicture } from '../../../src/generation/pipeline/pictures.ts'
import type { PictureRequest } from '../../../src/generation/providers/types.ts'
import { png } from '../../support/files.ts'

type Asked = Pick<PictureRequest, 'size' | 'format' | 'background'>
const asked: Asked = { size: 'landscape', format: 'png', background: 'auto' }

const budget = createByteBudget()
const convert = (bytes: Buffer, more: Partial<Asked> = {}) =>
  convertPicture(
    bytes,
    { ...asked, ...more },
    { from: 'painter', budget, signal: new AbortController().signal },
  )

/** A picture with an alpha channel: red, see-through as told. */
const alpha = (opacity: number) =>
  sharp({
    create: { width: 300, height: 200, channels: 4, background: { r: 255, g: 0, b: 0, alpha: opacity } },
  })
    .png()
    .toBuffer()

describe('a picture', () => {
  it.each([
    ['landscape', 1536, 1024],
    ['square', 1024, 1024],
    ['portrait', 1024, 1536],
    ['auto', 1536, 1024],
  ] as const)('that is %s has %i x %i pixels, whatever came', async (size, width, height) => {
    for (const came of [png(1024, 1024, [1, 2, 3]), png(1792, 1024, [1, 2, 3]), png(30, 20, [1, 2, 3])]) {
      const made = await convert(came, { size })
      const found = await sharp(made.bytes).metadata()
      expect([made.width, made.height, found.width, found.height]).toEqual([width, height, width, height])
    }
  })

  it('is cut to its shape from its middle, and not stretched', async () => {
    const sides = await sharp(png(600, 200, [255, 255, 255]))
      .composite([{ input: png(200, 200, [0, 0, 0]), left: 200, top: 0 }])
      .png()
      .toBuffer()
    const { bytes } = await convert(sides, { size: 'square' })
    const inside = { left: 20, top: 20, width: 984, height: 984 }
    const { channels } = await sharp(
      await sharp(bytes).removeAlpha().extract(inside).png().toBuffer(),
    ).stats()
    expect(channels.map(({ max }) => max)).toEqual([0, 0, 0])
  })

  it.each([
    ['png', 'image/png', 'png'],
    ['jpeg', 'image/jpeg', 'jpg'],
    ['webp', 'image/webp', 'webp'],
  ] as const)('is a %s where that was asked for', async (format, type, extension) => {
    for (const from of ['png', 'jpeg', 'webp'] as const) {
      const made = await convert(
        await sharp(png(64, 64, [9, 9, 9]))
          .toFormat(from)
          .toBuffer(),
        { format },
      )
      expect([made.type, made.extension, (await sharp(made.bytes).metadata()).format]).toEqual([
        type,
        extension,
        format,
      ])
    }
  })

  it('has nothing of what a camera wrote, and stands as it was taken', async () => {
    const photo = await sharp(png(200, 100, [0, 0, 0]))
      .composite([{ input: png(200, 50, [255, 255, 255]), left: 0, top: 50 }])
      .jpeg()
      .withExif({
        IFD0: { Copyright: 'somebody', Model: 'a camera' },
        IFD3: { GPSLatitude: '51/1 30/1 0/1' },
      })
      .withMetadata({ orientation: 3 })
      .toBuffer()
    expect((await sharp(photo).metadata()).exif).toBeDefined()
    const { bytes } = await convert(photo)
    const { exif, icc, xmp, orientation } = await sharp(bytes).metadata()
    expect([exif, icc, xmp, orientation]).toEqual([undefined, undefined, undefined, undefined])
    // Turned upside down: the white half is above.
    const upper = { left: 0, top: 0, width: 1536, height: 400 }
    const above = await sharp(await sharp(bytes).extract(upper).png().toBuffer()).stats()
    expect(above.channels[0]?.mean).toBeGreaterThan(240)
  })

  it('keeps its transparent background where one was asked for', async () => {
    for (const format of ['png', 'webp'] as const) {
      const { bytes } = await convert(await alpha(0.5), { background: 'transparent', format })
      expect((await sharp(bytes).stats()).isOpaque).toBe(false)
    }
  })

  it('is refused where its background was to be transparent and is not', async () => {
    for (const came of [await alpha(1), png(64, 64, [0, 0, 0])])
      await expect(convert(came, { background: 'transparent' })).rejects.toMatchObject({
        reason: 'INVALID_OUTPUT',
        message: expect.stringContaining('its background is not transparent'),
      })
  })

  it('has a white background where it must have one', async () => {
    for (const more of [{ background: 'opaque' }, { format: 'jpeg' }] as const) {
      const { channels, isOpaque } = await sharp((await convert(await alpha(0), more)).bytes).stats()
      expect(isOpaque).toBe(true)
      expect(channels[1]?.min).toBeGreaterThan(250)
    }
  })
})

describe('what is no picture', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('{"error": "no"}')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    [
      'a GIF',
      Buffer.from(
        '47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b',
        'hex',
      ),
    ],
    ['half of one', png(400, 400, [1, 2, 3]).subarray(0, 60)],
  ])('is refused: %s', async (_what, bytes) => {
    await expect(convert(bytes)).rejects.toMatchObject({
      reason: 'INVALID_OUTPUT',
      of: 'job',
      made: true,
      message: expect.stringContaining('painter'),
    })
  })

  it('is refused where it has more pixels than memory: a few bytes may say any number', async () => {
    const bomb = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: '#000' } })
      .png({ compressionLevel: 9 })
      .toBuffer()
    expect(bomb.length).toBeLessThan(600_000)
    await expect(convert(bomb)).rejects.toMatchObject({ reason: 'INVALID_OUTPUT' })
    expect(budget.files.held).toBe(0)
  })
})

describe('the memory of a picture', () => {
  it('is counted while it is made, and given back', async () => {
    const full = createByteBudget(1024 * 1024, { waitMs: 20 })
    const held = full.files.tryTake(full.files.size)
    const how = { from: 'painter', budget: full, signal: new AbortController().signal }
    await expect(convertPicture(png(64, 64, [0, 0, 0]), asked, how)).rejects.toMatchObject({
      code: 'memory_busy',
    })
    held?.release()
    await convertPicture(png(64, 64, [0, 0, 0]), asked, how)
    expect(full.files.held).toBe(0)
  })
})
