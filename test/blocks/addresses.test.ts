import { describe, expect, it } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'

const normalise = (...content: unknown[]) =>
  normaliseDocument(documentDataSchema.parse({ title: 'T', content: { content } }))

/** Where a link leads, and what is said about it. */
function linkTo(url: string) {
  const { document, warnings } = normalise({
    type: 'paragraph',
    content: [{ type: 'link', url, text: 'here' }],
  })
  const [block] = document.blocks
  const [inline] = block?.type === 'paragraph' ? block.content : []
  return { href: inline?.type === 'link' ? inline.href : undefined, warnings }
}

describe('the address of a link', () => {
  it.each([
    ['www.example.com/pricing', 'https://www.example.com/pricing'],
    ['example.com/x', 'https://example.com/x'],
    ['example.com', 'https://example.com'],
    ['Example.co.uk?a=1#b', 'https://Example.co.uk?a=1#b'],
    ['münchen.de/rathaus', 'https://münchen.de/rathaus'],
    ['shop.example.io', 'https://shop.example.io'],
    ['example.md/guide', 'https://example.md/guide'],
    ['//cdn.example.com/x', 'https://cdn.example.com/x'],
    ['\\\\example.com\\x', 'https://example.com\\x'],
    ['https:/example.com/x', 'https://example.com/x'],
    ['https//example.com/x', 'https://example.com/x'],
    ['HTTP:example.com', 'http://example.com'],
    ['https:\\\\example.com/x', 'https://example.com/x'],
    ['https:// example.com/x', 'https://example.com/x'],
    ['https://https://example.com/x', 'https://example.com/x'],
    ['http://https://example.com/x', 'https://example.com/x'],
    ['<https://example.com/x>', 'https://example.com/x'],
    ['\u200bhttps://example.com/x\ufeff', 'https://example.com/x'],
    ['https://example.com/?a=1&amp;b=2', 'https://example.com/?a=1&b=2'],
    ['https://example.com/?a=1&amp;amp;b=2&#038;c=3&#x26;d=4', 'https://example.com/?a=1&b=2&c=3&d=4'],
    ['https:&#x2F;&#x2F;example.com&#x2F;x', 'https://example.com/x'],
    ['example.com/?a=1&amp;b=2', 'https://example.com/?a=1&b=2'],
    ['ada@example.com', 'mailto:ada@example.com'],
    ['mailto://ada@example.com?subject=Hello', 'mailto:ada@example.com?subject=Hello'],
    ['+49 (30) 123-456', 'tel:+4930123456'],
  ])('is repaired where it is certain what is meant: %s', (written, meant) => {
    expect(linkTo(written)).toEqual({ href: meant, warnings: [] })
  })

  it.each([
    'https://example.com/?a=1&copy=2&lt=3',
    'https://ada:secret@example.com/x',
    'HTTPS://example.com/x',
    'https://web.archive.org/web/2020/https://example.com/',
    'mailto:ada@example.com',
    'tel:+4930123456',
    '/pricing',
    '/?p=12',
    '?p=12',
    '#top',
    'ftp://example.com/x',
    'javascript:alert(1)',
  ])('stays where nothing is wrong with it: %s', (written) => {
    expect(linkTo(written)).toEqual({ href: written, warnings: [] })
  })

  it.each([
    'pricing',
    'pricing/monthly',
    'page.html',
    'README.md',
    'brochure.indd',
    '../up',
    'see chapter 3',
  ])('stays with a warning that names it where it names no site: %s', (written) => {
    const { href, warnings } = linkTo(written)
    expect(href).toBe(written)
    expect(warnings).toEqual([
      {
        code: 'link_without_host',
        message: expect.stringContaining(`the link to “${written}” names no site`),
      },
    ])
  })

  it('is repaired of a block that is not known, and of a source', () => {
    expect(
      normalise({ type: 'podcast_player', url: '//example.com/v', text: 'Film' }).document.blocks,
    ).toMatchObject([{ content: [{ type: 'link', href: 'https://example.com/v' }] }])
  })
})

describe('the address of a file', () => {
  it.each([
    ['//cdn.example.com/a.png', 'https://cdn.example.com/a.png'],
    ['www.example.com/a.png', 'https://www.example.com/a.png'],
    ['https://example.com/a.png?w=1&amp;h=2', 'https://example.com/a.png?w=1&h=2'],
  ])('is repaired: %s', (written, meant) => {
    const content = [{ type: 'image', url: written }]
    const { document, warnings } = normaliseDocument(
      documentDataSchema.parse({
        title: 'T',
        featured_image: written,
        audio_url: written,
        content: { content },
      }),
    )
    expect(document).toMatchObject({
      featuredImage: { url: meant },
      audio: { url: meant },
      blocks: [{ url: meant }],
    })
    expect(warnings).toEqual([])
  })
})

describe('a link within the document', () => {
  const link = (url: string) => ({ type: 'paragraph', content: [{ type: 'link', url, text: 'here' }] })
  const codes = (...blocks: unknown[]) => normalise(...blocks).warnings.map(({ message }) => message)

  it('leads to a heading of it', () => {
    expect(
      codes(link('#%C3%BCber%20uns'), { type: 'heading', level: 2, text: 'A', anchor: 'über uns' }),
    ).toEqual([])
  })

  it('that leads to none is said, all such links at once', () => {
    expect(codes(link('#a'), link('#b'), link('#a'), { type: 'heading', level: 2, text: 'A' })).toEqual([
      'The document: no heading has the anchor that links lead to: #a, #b',
    ])
  })
})
