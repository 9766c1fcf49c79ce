import { expect, it } from 'vitest'
import { filesOf } from '../../src/blocks/document.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'

const url = 'https://example.com/a.png'

const read = (image: object) =>
  normaliseDocument(
    documentDataSchema.parse({
      title: 'T',
      content: { content: [{ type: 'image', url, alt: 'A', ...image }] },
    }),
  )

it('a picture has its link, its size and its place', () => {
  expect(
    read({ href: 'example.com/big', width: '640px', height: 480.4, alignment: 'center' }).document.blocks,
  ).toEqual([
    {
      type: 'image',
      url,
      alt: 'A',
      width: 640,
      height: 480,
      align: 'center',
      link: 'https://example.com/big',
    },
  ])
})

it.each([1e9, -1, 0, '50%', 'auto', null, {}, [3], true])('a size of %j leaves it as it is', (width) => {
  expect(read({ width, height: width, align: width }).document.blocks).toEqual([
    { type: 'image', url, alt: 'A' },
  ])
})

it.each([
  ['addresses', [url, 'https://example.com/b.png', 'https://example.com/c.png']],
  ['objects', [{ url }, { src: 'https://example.com/b.png' }, { url: 'https://example.com/c.png' }]],
])('of several %s the first is the picture, and the others are named', (_, several) => {
  const { document, warnings } = read({ url: several })
  expect(document.blocks).toEqual([{ type: 'image', url, alt: 'A' }])
  expect(warnings).toEqual([
    {
      code: 'picture_left_out',
      message:
        'Block 1 (image): a picture has one address, and these are left out: https://example.com/b.png, https://example.com/c.png',
    },
  ])
})

it('its own link goes before the one of the site, unless it is unsafe', () => {
  const markup = (link: string) =>
    renderDocument(read({ link }).document, {
      format: 'classic',
      media: new Map(),
      siteOrigin: 'https://site.example',
      settings: renderSettingsSchema.parse({ image_link: 'media', outside_link_rel: ['nofollow'] }),
    })
  expect(markup('https://example.com/big').markup).toContain(
    '<a href="https://example.com/big" rel="nofollow"><img',
  )
  const { markup: safe, warnings } = markup('javascript:alert(1)')
  expect(safe).toContain(`<a href="${url}"><img`)
  expect(warnings.map(({ code }) => code)).toEqual(['link_unsafe'])
  expect(markup('\ufffc').markup).toContain(`<a href="${url}"><img`)
})

it.each(['\ufffc', '\ufeff', 'java\ufffcscript:alert(1)'])(
  'an address of %j, of which nothing or a script is left, is none',
  (written) => {
    const { markup, warnings } = renderDocument(
      { title: 'T', blocks: [{ type: 'image', url: written, alt: 'A' }] },
      {
        format: 'block',
        media: new Map(),
        siteOrigin: 'https://site.example',
        settings: renderSettingsSchema.parse({ image_link: 'media' }),
      },
    )
    expect(markup).toBe('')
    expect(warnings.map(({ code }) => code)).toEqual(['image_unsafe'])
  },
)

it('a picture in a cell, a caption or a heading stays one, and is among the files', () => {
  const picture = {
    type: 'image',
    url: 'https://example.com/sign.png',
    alt: 'Sign',
    link: 'https://example.com/',
  }
  const { document, warnings } = normaliseDocument(
    documentDataSchema.parse({
      title: 'T',
      content: {
        content: [
          { type: 'table', headers: [], rows: [[[picture, 'keep left']]], caption: ['See ', picture] },
          { type: 'heading', level: 2, text: [{ type: 'bold', text: [picture] }] },
        ],
      },
    }),
  )
  expect(warnings).toEqual([])
  expect(filesOf(document.blocks)).toEqual(
    Array(3).fill({ kind: 'picture', url: picture.url, alt: 'Sign', title: '' }),
  )
})

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

it.each([
  { type: 'sticker', src: pixel },
  { type: 'sticker', attrs: { url: pixel, alt: '' } },
  { type: 'mention', image: pixel },
  { type: 'mention', avatar: { src: pixel } },
  { type: 'badge', url: 'https://example.com/a.png' },
])('a picture of running text that is not known stays: %j', (item) => {
  const content = { content: [{ type: 'paragraph', content: ['a', item, 'b'] }] }
  const { document, inlineFiles, warnings } = normaliseDocument({ title: 'T', content })
  const [url] = [...inlineFiles.keys(), 'https://example.com/a.png']
  const shown = { type: 'inline_image', url, alt: '' }
  expect(document.blocks).toMatchObject([{ content: expect.arrayContaining([shown]) }])
  expect(warnings).toMatchObject([{ code: 'inline_unknown' }])
})
